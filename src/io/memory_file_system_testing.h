#ifndef FATHOM_IO_MEMORY_FILE_SYSTEM_TESTING_H_
#define FATHOM_IO_MEMORY_FILE_SYSTEM_TESTING_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace fathom {

// Files that live in memory, with faults to order. Folders are there as soon as a file in them is.
// A file handed out keeps the bytes it was opened with.
class MemoryFileSystem : public FileSystem {
 public:
  Result<std::unique_ptr<ReadableFile>> Open(const std::string& path) override;
  Result<std::unique_ptr<MappedFile>> Map(const std::string& path) override;
  bool Exists(const std::string& path) override;
  bool IsDirectory(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& directory) override;
  Result<std::unique_ptr<OutputFile>> Create(const std::string& path) override;
  void RemovePartialFiles() override;
  Status MakeDirectory(const std::string& path) override;

  Result<std::string> ReadStream(const std::string& path, int64_t limit) override {
    return ReadText(path, limit);
  }

  void Put(const std::string& path, std::string_view content);
  void Remove(const std::string& path);
  // The content of a committed file; the file must be there (CHECK).
  std::string Get(const std::string& path) const;
  // Every file there is, partial ones included.
  std::vector<std::string> Paths() const;

  // Reads that touch byte `offset` of `path` fail as a broken disk does.
  void FailReadsAt(const std::string& path, int64_t offset);
  // `path` reports its whole size, but only its first `bytes` can be read: cut while being read.
  void CutWhileReading(const std::string& path, int64_t bytes);
  // Create of `path` fails, as in a folder without write permission.
  void FailCreate(const std::string& path);
  // All outputs together take `bytes` more; then the disk is full.
  void SetFreeSpace(int64_t bytes);

  // What was asked of it so far.
  int64_t bytes_read() const { return *bytes_read_; }
  int64_t maps() const { return maps_; }

 private:
  friend class MemoryOutputFile;

  struct Faults {
    std::optional<int64_t> fail_at;
    std::optional<int64_t> cut_at;
  };
  friend class MemoryReadableFile;

  std::map<std::string, std::shared_ptr<const std::string>> files_;
  std::map<std::string, Faults> faults_;
  std::set<std::string> folders_;
  std::set<std::string> no_create_;
  std::optional<int64_t> free_space_;
  std::shared_ptr<std::atomic<int64_t>> bytes_read_ = std::make_shared<std::atomic<int64_t>>(0);
  int64_t maps_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_IO_MEMORY_FILE_SYSTEM_TESTING_H_
