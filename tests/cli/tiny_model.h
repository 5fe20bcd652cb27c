#ifndef FATHOM_TESTS_CLI_TINY_MODEL_H_
#define FATHOM_TESTS_CLI_TINY_MODEL_H_

#include <string>
#include <string_view>

namespace fathom {

// A folder of this test's own, removed with it.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  // Writes a file; returns its path.
  std::string Put(std::string_view name, std::string_view content) const;
  std::string Get(std::string_view name) const;  // the file must be there (CHECK)
  bool Has(std::string_view name) const;

 private:
  std::string path_;
};

// A random DeepSeek-V3 checkpoint with an MTP layer and the tokenizer of tiny_tokenizer_testing.h,
// in `folder`/<name>; returns its path.
std::string WriteTinyModel(const TempFolder& folder, std::string_view name);

// The same without tokenizer files.
std::string WriteTinyModelWithoutTokenizer(const TempFolder& folder, std::string_view name);

// Tokenizer files alone.
std::string WriteTinyTokenizer(const TempFolder& folder, std::string_view name);

}  // namespace fathom

#endif  // FATHOM_TESTS_CLI_TINY_MODEL_H_
