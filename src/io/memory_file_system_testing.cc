#include "io/memory_file_system_testing.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "io/file_system.h"
#include "io/system_error.h"

namespace fathom {

class MemoryReadableFile : public ReadableFile {
 public:
  MemoryReadableFile(std::string path, std::shared_ptr<const std::string> content,
                     MemoryFileSystem::Faults faults,
                     std::shared_ptr<std::atomic<int64_t>> bytes_read)
      : path_(std::move(path)),
        content_(std::move(content)),
        faults_(faults),
        bytes_read_(std::move(bytes_read)) {}

  const std::string& path() const override { return path_; }
  int64_t size() const override { return static_cast<int64_t>(content_->size()); }
  void Forget(int64_t /*offset*/, int64_t /*bytes*/) const override {}

  Status ReadAt(int64_t offset, std::span<std::byte> out) const override {
    const auto count = static_cast<int64_t>(out.size());
    const int64_t end = offset + count;
    if (faults_.fail_at && offset <= *faults_.fail_at && *faults_.fail_at < end) {
      return SystemError(ErrorKind::kFailed,
                         Format("cannot read {} bytes at offset {}", count, offset), EIO, path_);
    }
    const int64_t readable = faults_.cut_at.value_or(size());
    if (end > readable) {
      return Failed(Format("the file ends at byte {}, {} more were expected: it was cut "
                           "while being read",
                           readable, end - readable),
                    path_, "leave the file alone while it is read, and run again");
    }
    std::memcpy(out.data(), content_->data() + offset, out.size());
    *bytes_read_ += count;
    return Ok();
  }

 private:
  std::string path_;
  std::shared_ptr<const std::string> content_;
  MemoryFileSystem::Faults faults_;
  std::shared_ptr<std::atomic<int64_t>> bytes_read_;
};

namespace {

class MemoryMappedFile : public MappedFile {
 public:
  explicit MemoryMappedFile(std::shared_ptr<const std::string> content)
      : content_(std::move(content)) {}
  std::span<const std::byte> bytes() const override { return std::as_bytes(std::span(*content_)); }

 private:
  std::shared_ptr<const std::string> content_;
};

std::string PartialName(const std::string& path) { return path + std::string(kPartialSuffix); }

std::string AsFolder(std::string path) {
  if (!path.empty() && path.back() != '/') path += '/';
  return path;
}

}  // namespace

class MemoryOutputFile : public OutputFile {
 public:
  MemoryOutputFile(MemoryFileSystem& files, std::string path)
      : files_(files), path_(std::move(path)) {
    files_.Put(PartialName(path_), "");
  }
  MemoryOutputFile(const MemoryOutputFile&) = delete;
  MemoryOutputFile& operator=(const MemoryOutputFile&) = delete;
  ~MemoryOutputFile() override { files_.Remove(PartialName(path_)); }

  using OutputFile::Append;
  Status Append(std::span<const std::byte> data) override {
    const auto count = static_cast<int64_t>(data.size());
    if (files_.free_space_ && count > *files_.free_space_) {
      return SystemError(ErrorKind::kFailed,
                         Format("cannot write {} bytes after the first {}", count, content_.size()),
                         ENOSPC, path_);
    }
    if (files_.free_space_) *files_.free_space_ -= count;
    content_.append(reinterpret_cast<const char*>(data.data()), data.size());
    return Ok();
  }
  Status Commit() override {
    files_.Put(path_, content_);
    files_.Remove(PartialName(path_));
    return Ok();
  }

 private:
  MemoryFileSystem& files_;
  std::string path_;
  std::string content_;
};

Result<std::unique_ptr<ReadableFile>> MemoryFileSystem::Open(const std::string& path) {
  const auto found = files_.find(path);
  if (found == files_.end()) {
    return SystemError(ErrorKind::kBadInput, "cannot open the file", ENOENT, path);
  }
  return std::unique_ptr<ReadableFile>(
      new MemoryReadableFile(path, found->second, faults_[path], bytes_read_));
}

Result<std::unique_ptr<MappedFile>> MemoryFileSystem::Map(const std::string& path) {
  const auto found = files_.find(path);
  if (found == files_.end()) {
    return SystemError(ErrorKind::kBadInput, "cannot open the file", ENOENT, path);
  }
  ++maps_;
  return std::unique_ptr<MappedFile>(new MemoryMappedFile(found->second));
}

bool MemoryFileSystem::Exists(const std::string& path) {
  return files_.contains(path) || IsDirectory(path);
}

bool MemoryFileSystem::IsDirectory(const std::string& path) {
  const std::string folder = AsFolder(path);
  if (folders_.contains(folder)) return true;
  const auto next = files_.lower_bound(folder);
  return next != files_.end() && next->first.starts_with(folder);
}

Result<std::vector<std::string>> MemoryFileSystem::List(const std::string& directory) {
  if (!IsDirectory(directory)) {
    return SystemError(ErrorKind::kBadInput, "cannot list the folder", ENOENT, directory);
  }
  const std::string folder = AsFolder(directory);
  std::set<std::string> names;
  for (const auto& [path, content] : files_) {
    if (!path.starts_with(folder)) continue;
    const std::string rest = path.substr(folder.size());
    names.insert(rest.substr(0, rest.find('/')));
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::unique_ptr<OutputFile>> MemoryFileSystem::Create(const std::string& path) {
  if (no_create_.contains(path)) {
    return SystemError(ErrorKind::kBadInput, "cannot create the file", EACCES, path);
  }
  return std::unique_ptr<OutputFile>(new MemoryOutputFile(*this, path));
}

void MemoryFileSystem::RemovePartialFiles() {
  std::erase_if(files_, [](const auto& file) { return file.first.ends_with(kPartialSuffix); });
}

Status MemoryFileSystem::MakeDirectory(const std::string& path) {
  if (files_.contains(path)) {
    return SystemError(ErrorKind::kBadInput, "cannot make the folder", ENOTDIR, path);
  }
  folders_.insert(AsFolder(path));
  return Ok();
}

void MemoryFileSystem::Put(const std::string& path, std::string_view content) {
  files_[path] = std::make_shared<const std::string>(content);
}

void MemoryFileSystem::Remove(const std::string& path) { files_.erase(path); }

std::string MemoryFileSystem::Get(const std::string& path) const {
  const auto found = files_.find(path);
  FATHOM_CHECK(found != files_.end());
  return *found->second;
}

std::vector<std::string> MemoryFileSystem::Paths() const {
  std::vector<std::string> paths;
  paths.reserve(files_.size());
  for (const auto& [path, content] : files_) paths.push_back(path);
  return paths;
}

void MemoryFileSystem::FailReadsAt(const std::string& path, int64_t offset) {
  faults_[path].fail_at = offset;
}
void MemoryFileSystem::CutWhileReading(const std::string& path, int64_t bytes) {
  faults_[path].cut_at = bytes;
}
void MemoryFileSystem::FailCreate(const std::string& path) { no_create_.insert(path); }
void MemoryFileSystem::SetFreeSpace(int64_t bytes) { free_space_ = bytes; }

}  // namespace fathom
