#ifndef FATHOM_IO_TEMP_FOLDER_TESTING_H_
#define FATHOM_IO_TEMP_FOLDER_TESTING_H_

#include <string>
#include <string_view>

namespace fathom {

// A new folder on the machine's disk, removed with all that is in it at the end.
class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  const std::string& path() const { return path_; }
  // A path inside.
  std::string operator/(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace fathom

#endif  // FATHOM_IO_TEMP_FOLDER_TESTING_H_
