#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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
#include "io/system_error.h"

namespace fathom {
namespace {

Error CannotRead(std::string what, const std::string& path) {
  return SystemError(ErrorKind::kBadInput, std::move(what), errno, path);
}

Error CallFailed(std::string what, const std::string& path) {
  return SystemError(ErrorKind::kFailed, std::move(what), errno, path);
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
    return CannotRead("cannot open the file", path);
  }
  if (!S_ISREG(info.st_mode)) {
    return BadInput(S_ISDIR(info.st_mode) ? "expected a file, found a directory"
                                          : "expected a regular file, found a pipe or device",
                    path, "name a regular file");
  }
  return OpenedFile{std::move(fd), static_cast<int64_t>(info.st_size)};
}

Result<std::string> ReadToEnd(int fd, const std::string& name, int64_t limit) {
  std::string text;
  std::array<char, 65536> bytes;
  while (true) {
    const ssize_t count = Retry([&] { return ::read(fd, bytes.data(), bytes.size()); });
    if (count < 0) return CannotRead("cannot read", name);
    if (count == 0) return text;
    text.append(bytes.data(), static_cast<size_t>(count));
    if (static_cast<int64_t>(text.size()) > limit) return TooLong("does not end", name, limit);
  }
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
        return CallFailed(Format("cannot read {} bytes at offset {}", out.size(), offset), path_);
      }
      if (count == 0) {
        return Failed(Format("the file ends at byte {}, {} more were expected: it was cut "
                             "while being read",
                             offset, out.size()),
                      path_, "leave the file alone while it is read, and run again");
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
    return CallFailed("cannot sync the directory", directory);
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
    // Close reports what a network file system could not store.
    if (::fsync(fd_.get()) != 0 || !fd_.Close()) {
      return CallFailed(Format("cannot sync {} bytes", written_), path_);
    }
    if (::rename(partial_.c_str(), path_.c_str()) != 0) {
      return CallFailed("cannot rename " + partial_, path_);
    }
    committed_ = true;
    return SyncDirectory(ParentOf(path_));
  }

 private:
  std::string path_;
  std::string partial_;
  Descriptor fd_;
  int64_t written_ = 0;
  bool committed_ = false;
};

Error CannotCreate(const std::string& path) {
  const bool no_folder = errno == ENOENT;
  Error error = CannotRead("cannot create the file", path);
  if (no_folder) error.fix = "make the folder " + ParentOf(path) + " first, or name another";
  return error;
}

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
        return CallFailed(Format("cannot map {} bytes", size), path);
      }
      bytes = {static_cast<std::byte*>(start), size};
    }
    return std::unique_ptr<MappedFile>(new PosixMappedFile(bytes));
  }

  Result<std::string> ReadStream(const std::string& path, int64_t limit) override {
    if (path == "-") return ReadToEnd(STDIN_FILENO, "standard input", limit);
    const Descriptor fd(Retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
    if (!fd.valid()) return CannotRead("cannot open the file", path);
    return ReadToEnd(fd.get(), path, limit);
  }

  bool Exists(const std::string& path) override {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
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
    if (error) {
      return SystemError(ErrorKind::kBadInput, "cannot list the folder", error.value(), directory);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<std::unique_ptr<OutputFile>> Create(const std::string& path) override {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    FATHOM_TRY(const std::string target, OutputTarget(path));
    const std::string partial = PartialName(target);
    Descriptor fd(Retry([&] { return ::open(partial.c_str(), kFlags, 0666); }));
    if (!fd.valid()) return CannotCreate(target);
    return std::unique_ptr<OutputFile>(new PosixOutputFile(target, partial, std::move(fd)));
  }

  Status MakeDirectory(const std::string& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!error) return Ok();
    return SystemError(ErrorKind::kBadInput, "cannot make the folder", error.value(), path);
  }
};

}  // namespace

std::unique_ptr<FileSystem> MakePosixFileSystem() { return std::make_unique<PosixFileSystem>(); }

}  // namespace fathom
