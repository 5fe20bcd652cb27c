#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "io/descriptor.h"
#include "io/file_system.h"
#include "io/posix_output_file.h"
#include "io/system_error.h"

namespace fathom {
namespace {

Error CannotRead(std::string what, const std::string& path) {
  return SystemError(ErrorKind::kBadInput, std::move(what), errno, path);
}

Error CallFailed(std::string what, const std::string& path) {
  return SystemError(ErrorKind::kFailed, std::move(what), errno, path);
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
  struct stat info {};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > limit) {
    return TooLong(Format("has {} bytes", WithCommas(info.st_size)), name, limit);
  }
  std::string text;
  std::array<char, 65536> bytes;
  while (true) {
    const ssize_t count = Retry([&] { return ::read(fd, bytes.data(), bytes.size()); });
    if (count < 0) return CannotRead("cannot read", name);
    if (count == 0) return text;
    text.append(bytes.data(), static_cast<size_t>(count));
    if (static_cast<int64_t>(text.size()) > limit) return TooLong("goes on", name, limit);
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
    return CreatePosixOutput(path, partial_files_);
  }

  void RemovePartialFiles() override { partial_files_->RemoveAll(); }

  Status MakeDirectory(const std::string& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!error) return Ok();
    return SystemError(ErrorKind::kBadInput, "cannot make the folder", error.value(), path);
  }

 private:
  std::shared_ptr<PartialFiles> partial_files_ = std::make_shared<PartialFiles>();
};

}  // namespace

std::unique_ptr<FileSystem> MakePosixFileSystem() { return std::make_unique<PosixFileSystem>(); }

}  // namespace fathom
