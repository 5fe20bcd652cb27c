#include "io/posix_output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "io/descriptor.h"
#include "io/file_system.h"
#include "io/system_error.h"

namespace fathom {
namespace {

Error CallFailed(std::string what, const std::string& path) {
  return SystemError(ErrorKind::kFailed, std::move(what), errno, path);
}

// Makes a rename in this directory survive a power cut. Some network file systems know no sync of
// directories; there the rename itself is all there is.
Status SyncDirectory(const std::string& directory) {
  const Descriptor fd(
      Retry([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!fd.valid() || (::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP)) {
    return CallFailed("cannot sync the directory", directory);
  }
  return Ok();
}

std::string ParentOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Locked by `fd` until it is closed, after the rename: so another run cannot take the partial file
// for one that was left behind.
class PosixOutputFile : public OutputFile {
 public:
  PosixOutputFile(std::string path, std::string partial, Descriptor fd,
                  std::shared_ptr<PartialFiles> partial_files)
      : path_(std::move(path)),
        partial_(std::move(partial)),
        fd_(std::move(fd)),
        partial_files_(std::move(partial_files)) {
    partial_files_->Add(partial_);
  }
  PosixOutputFile(const PosixOutputFile&) = delete;
  PosixOutputFile& operator=(const PosixOutputFile&) = delete;
  ~PosixOutputFile() override {
    if (!committed_) partial_files_->Remove(partial_);
  }

  using OutputFile::Append;
  Status Append(std::span<const std::byte> data) override {
    FATHOM_CHECK(!committed_);
    while (!data.empty()) {
      const ssize_t count = Retry([&] { return ::write(fd_.get(), data.data(), data.size()); });
      if (count < 0) {
        return CallFailed(Format("cannot write {} bytes after the first {}", data.size(), written_),
                          path_);
      }
      written_ += count;
      data = data.subspan(static_cast<size_t>(count));
    }
    return Ok();
  }

  Status Commit() override {
    FATHOM_CHECK(!committed_);
    if (::fsync(fd_.get()) != 0) {
      return CallFailed(Format("cannot sync {} bytes", written_), path_);
    }
    if (!partial_files_->Rename(partial_, path_)) {
      return CallFailed("cannot rename " + partial_, path_);
    }
    committed_ = true;
    return SyncDirectory(ParentOf(path_));
  }

 private:
  std::string path_;
  std::string partial_;
  Descriptor fd_;
  std::shared_ptr<PartialFiles> partial_files_;
  int64_t written_ = 0;
  bool committed_ = false;
};

Error CannotCreate(const std::string& path) {
  const bool no_folder = errno == ENOENT;
  Error error = SystemError(ErrorKind::kBadInput, "cannot create the file", errno, path);
  if (no_folder) error.fix = "make the folder " + ParentOf(path) + " first, or name another";
  return error;
}

// Where an output named `path` goes: a link stays and what it points at is replaced or made. What a
// rename would destroy or could not replace is refused.
Result<std::string> OutputTarget(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::none) {
    return SystemError(ErrorKind::kBadInput, "cannot create the file", error.value(), path);
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return BadInput("cannot create the file: a folder, pipe or device has this name", path,
                    "name a file that is new or may be replaced");
  }
  return std::filesystem::is_symlink(path, error) ? ResolvedPath(path) : path;
}

// True when `fd` is the file that has this name now.
bool HasName(const Descriptor& fd, const std::string& name) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd.get(), &opened) == 0 && ::stat(name.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

struct PartialFile {
  Descriptor fd;
  bool was_there;
};

Result<PartialFile> OpenOrMake(const std::string& partial, const std::string& target) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC;
  const auto open = [&](int flags) {
    return Descriptor(Retry([&] { return ::open(partial.c_str(), flags, 0666); }));
  };
  Descriptor made = open(kFlags | O_EXCL);
  if (made.valid()) return PartialFile{std::move(made), false};
  if (errno != EEXIST) return CannotCreate(target);
  Descriptor found = open(kFlags);
  if (found.valid()) return PartialFile{std::move(found), true};
  return SystemError(ErrorKind::kBadInput, "cannot replace the unfinished output", errno, partial);
}

// Refuses a partial file that a run still writes. One that is there and not locked was left behind
// by a run that was killed.
Status Lock(const PartialFile& file, const std::string& partial, const std::string& target) {
  if (Retry([&] { return ::flock(file.fd.get(), LOCK_EX | LOCK_NB); }) == 0) return Ok();
  if (errno == EWOULDBLOCK) {
    return BadInput("another run is writing this file", target,
                    "wait until it has ended, or name another file");
  }
  // A file system without locks: nobody can tell whether what is there is still being written.
  if (!file.was_there) return Ok();
  return BadInput("an unfinished output is there, and may still be written by another run", partial,
                  "remove it if no run is writing it, or name another file");
}

}  // namespace

void PartialFiles::Add(const std::string& name) {
  const std::lock_guard lock(mutex_);
  names_.insert(name);
}

bool PartialFiles::Rename(const std::string& name, const std::string& target) {
  const std::lock_guard lock(mutex_);
  if (::rename(name.c_str(), target.c_str()) != 0) return false;
  names_.erase(name);
  return true;
}

void PartialFiles::Remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (names_.erase(name) > 0) ::unlink(name.c_str());
}

void PartialFiles::RemoveAll() {
  const std::lock_guard lock(mutex_);
  for (const std::string& name : names_) ::unlink(name.c_str());
  names_.clear();
}

Result<std::unique_ptr<OutputFile>> CreatePosixOutput(const std::string& path,
                                                      std::shared_ptr<PartialFiles> partial_files) {
  FATHOM_TRY(const std::string target, OutputTarget(path));
  const std::string partial = target + std::string(kPartialSuffix);
  while (true) {
    FATHOM_TRY(PartialFile file, OpenOrMake(partial, target));
    FATHOM_OK(Lock(file, partial, target));
    // Between the two another run may have renamed or removed it: then the lock is of another file.
    if (!HasName(file.fd, partial)) continue;
    if (file.was_there && ::ftruncate(file.fd.get(), 0) != 0 && errno != EINVAL) {
      return CannotCreate(target);
    }
    return std::unique_ptr<OutputFile>(
        new PosixOutputFile(target, partial, std::move(file.fd), std::move(partial_files)));
  }
}

}  // namespace fathom
