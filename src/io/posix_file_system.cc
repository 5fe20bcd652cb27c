#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "io/file_system.h"

namespace fathom {
namespace {

std::string Reason(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

// A file descriptor, closed by its destructor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // False with errno set when the system could not store what was written before.
  bool Close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// Repeats a system call that a signal interrupted.
template <typename Call>
auto Retry(Call call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

struct OpenedFile {
  Descriptor fd;
  int64_t size;
};

// A regular file, open for reading. A pipe is opened without waiting for its writer and refused.
Result<OpenedFile> OpenRegular(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  Descriptor fd(Retry([&] { return ::open(path.c_str(), kFlags); }));
  struct stat info {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) {
    return BadInput("cannot open the file: " + Reason(errno), path);
  }
  if (!S_ISREG(info.st_mode)) {
    return BadInput(S_ISDIR(info.st_mode) ? "expected a file, found a directory"
                                          : "expected a regular file, found a pipe or device",
                    path);
  }
  return OpenedFile{std::move(fd), static_cast<int64_t>(info.st_size)};
}

class PosixReadableFile : public ReadableFile {
 public:
  PosixReadableFile(std::string path, OpenedFile file)
      : path_(std::move(path)), fd_(std::move(file.fd)), size_(file.size) {}

  const std::string& path() const override { return path_; }
  int64_t size() const override { return size_; }

  Status ReadAt(int64_t offset, std::span<std::byte> out) const override {
    // Linux moves at most 2 GiB - 4096 bytes in one call whatever is asked for.
    while (!out.empty()) {
      const ssize_t count =
          Retry([&] { return ::pread(fd_.get(), out.data(), out.size(), offset); });
      if (count < 0) {
        return Failed(
            Format("cannot read {} bytes at offset {}: {}", out.size(), offset, Reason(errno)),
            path_);
      }
      if (count == 0) {
        return Failed(Format("the file ends at byte {}, {} more were expected: it was cut "
                             "while being read",
                             offset, out.size()),
                      path_);
      }
      offset += count;
      out = out.subspan(static_cast<size_t>(count));
    }
    return Ok();
  }

  void Forget(int64_t offset, int64_t bytes) const override {
    (void)::posix_fadvise(fd_.get(), offset, bytes, POSIX_FADV_DONTNEED);
  }

 private:
  std::string path_;
  Descriptor fd_;
  int64_t size_;
};

class PosixMappedFile : public MappedFile {
 public:
  explicit PosixMappedFile(std::span<std::byte> bytes) : bytes_(bytes) {}
  PosixMappedFile(const PosixMappedFile&) = delete;
  PosixMappedFile& operator=(const PosixMappedFile&) = delete;
  ~PosixMappedFile() override {
    if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
  }
  std::span<const std::byte> bytes() const override { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

// Makes a rename in this directory survive a power cut. Some network file systems know no sync of
// directories; there the rename itself is all there is.
Status SyncDirectory(const std::string& directory) {
  const Descriptor fd(
      Retry([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!fd.valid() || (::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP)) {
    return Failed("cannot sync the directory: " + Reason(errno), directory);
  }
  return Ok();
}

std::string ParentOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

class PosixOutputFile : public OutputFile {
 public:
  PosixOutputFile(std::string path, std::string partial, Descriptor fd)
      : path_(std::move(path)), partial_(std::move(partial)), fd_(std::move(fd)) {}
  PosixOutputFile(const PosixOutputFile&) = delete;
  PosixOutputFile& operator=(const PosixOutputFile&) = delete;
  ~PosixOutputFile() override {
    if (!committed_) ::unlink(partial_.c_str());
  }

  using OutputFile::Append;
  Status Append(std::span<const std::byte> data) override {
    FATHOM_CHECK(!committed_);
    while (!data.empty()) {
      const ssize_t count = Retry([&] { return ::write(fd_.get(), data.data(), data.size()); });
      if (count < 0) {
        return WriteError(
            Format("cannot write {} bytes after the first {}", data.size(), written_));
      }
      written_ += count;
      data = data.subspan(static_cast<size_t>(count));
    }
    return Ok();
  }

  Status Commit() override {
    FATHOM_CHECK(!committed_);
    // Close reports what a network file system could not store.
    if (::fsync(fd_.get()) != 0 || !fd_.Close()) {
      return WriteError(Format("cannot sync {} bytes", written_));
    }
    if (::rename(partial_.c_str(), path_.c_str()) != 0) {
      return WriteError("cannot rename " + partial_);
    }
    committed_ = true;
    return SyncDirectory(ParentOf(path_));
  }

 private:
  Error WriteError(std::string what) const {
    const int reason = errno;
    Error error = Failed(std::move(what) + ": " + Reason(reason), path_);
    if (reason == ENOSPC || reason == EDQUOT) {
      error.kind = ErrorKind::kDoesNotFit;
      error.fix = "make room on this disk or choose another folder; nothing was left behind";
    }
    return error;
  }

  std::string path_;
  std::string partial_;
  Descriptor fd_;
  int64_t written_ = 0;
  bool committed_ = false;
};

// Where an output named `path` goes: a link stays and what it points at is replaced. What a rename
// would destroy or could not replace is refused.
Result<std::string> OutputTarget(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return path;
  if (!std::filesystem::is_regular_file(status)) {
    return BadInput("cannot create the file: a folder, pipe or device has this name", path,
                    "name a file that is new or may be replaced");
  }
  return std::filesystem::canonical(path, error).string();
}

// The name an output has until its commit: "<target>.partial". A file that has this name already,
// of a person or of a run that was killed, stays as it is; the name gets a number then.
std::string PartialName(const std::string& target) {
  std::string name = target + ".partial";
  std::error_code error;
  for (int number = 2; std::filesystem::is_regular_file(name, error); ++number) {
    name = Format("{}.partial-{}", target, number);
  }
  return name;
}

class PosixFileSystem : public FileSystem {
 public:
  Result<std::unique_ptr<ReadableFile>> Open(const std::string& path) override {
    FATHOM_TRY(OpenedFile file, OpenRegular(path));
    return std::unique_ptr<ReadableFile>(new PosixReadableFile(path, std::move(file)));
  }

  Result<std::unique_ptr<MappedFile>> Map(const std::string& path) override {
    FATHOM_TRY(const OpenedFile file, OpenRegular(path));
    std::span<std::byte> bytes;
    if (file.size > 0) {  // a mapping of nothing is an error to the system
      const auto size = static_cast<size_t>(file.size);
      void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd.get(), 0);
      if (start == MAP_FAILED) {
        return Failed(Format("cannot map {} bytes: {}", size, Reason(errno)), path);
      }
      bytes = {static_cast<std::byte*>(start), size};
    }
    return std::unique_ptr<MappedFile>(new PosixMappedFile(bytes));
  }

  bool Exists(const std::string& path) override {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0;
  }

  bool IsDirectory(const std::string& path) override {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  }

  Result<std::vector<std::string>> List(const std::string& directory) override {
    std::error_code error;
    std::vector<std::string> names;
    std::filesystem::directory_iterator at(directory, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
      names.push_back(at->path().filename().string());
    }
    if (error) return BadInput("cannot list the folder: " + error.message(), directory);
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<std::unique_ptr<OutputFile>> Create(const std::string& path) override {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    FATHOM_TRY(const std::string target, OutputTarget(path));
    const std::string partial = PartialName(target);
    Descriptor fd(Retry([&] { return ::open(partial.c_str(), kFlags, 0666); }));
    if (!fd.valid()) return BadInput("cannot create the file: " + Reason(errno), partial);
    return std::unique_ptr<OutputFile>(new PosixOutputFile(target, partial, std::move(fd)));
  }

  Status MakeDirectory(const std::string& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return BadInput("cannot make the folder: " + error.message(), path);
    return Ok();
  }
};

}  // namespace

std::unique_ptr<FileSystem> MakePosixFileSystem() { return std::make_unique<PosixFileSystem>(); }

}  // namespace fathom
