#include "io/file_system.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr int kMostLinks = 40;  // that Linux follows in one name

}  // namespace

Result<std::string> FileSystem::ReadText(const std::string& path, int64_t limit) {
  FATHOM_TRY(const auto file, Open(path));
  if (file->size() > limit) {
    return TooLong(Format("has {} bytes", WithCommas(file->size())), path, limit);
  }
  std::string text(static_cast<size_t>(file->size()), '\0');
  FATHOM_OK(file->ReadAt(0, std::as_writable_bytes(std::span(text))));
  return text;
}

Status CheckFolder(FileSystem& files, const std::string& path, const std::string& fix) {
  if (files.IsDirectory(path)) return Ok();
  if (!files.Exists(path)) return BadInput("there is no such folder", path, fix);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return BadInput("this is a file, and a folder is wanted", path,
                  Format("{}; this file lies in {}", fix, folder.empty() ? "." : folder));
}

Error TooLong(std::string_view has, std::string path, int64_t limit) {
  return BadInput(Format("the input {}, at most {} bytes are allowed here", has, WithCommas(limit)),
                  std::move(path), "name the right file, or split it into smaller ones");
}

std::string ResolvedPath(const std::string& path) {
  std::error_code error;
  // Absolute first: of a relative path no part of which exists nothing would be resolved.
  std::filesystem::path name = std::filesystem::absolute(path, error);
  // A link to what does not exist yet counts as not existing there, and would be left as it is.
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(name, error); ++links) {
    name = name.parent_path() / std::filesystem::read_symlink(name, error);
  }
  return std::filesystem::weakly_canonical(name, error).string();
}

bool SamePlace(const std::string& a, const std::string& b) {
  return ResolvedPath(a) == ResolvedPath(b);
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && path.back() != '/') path += '/';
  path += name;
  return path;
}

}  // namespace fathom
