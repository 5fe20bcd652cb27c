#ifndef FATHOM_IO_POSIX_OUTPUT_FILE_H_
#define FATHOM_IO_POSIX_OUTPUT_FILE_H_

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/result.h"
#include "io/file_system.h"

namespace fathom {

// The names of this process's outputs that have no Commit yet. Threads: safe from several at once.
class PartialFiles {
 public:
  void Add(const std::string& name);
  // False with errno set when it could not be renamed.
  bool Rename(const std::string& name, const std::string& target);
  void Remove(const std::string& name);
  void RemoveAll();

 private:
  std::mutex mutex_;
  std::set<std::string> names_;  // guarded by it
};

// FileSystem::Create of this machine's own files.
Result<std::unique_ptr<OutputFile>> CreatePosixOutput(const std::string& path,
                                                      std::shared_ptr<PartialFiles> partial_files);

}  // namespace fathom

#endif  // FATHOM_IO_POSIX_OUTPUT_FILE_H_
