#include "weights/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "io/file_system.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr int64_t kPrefixBytes = 8;
constexpr const char* kFetchAgain = "the file is incomplete or damaged; fetch it again";

Error Damaged(std::string what) { return BadInput(std::move(what), "", kFetchAgain); }

// Bytes of a tensor of this shape; none when they do not fit into int64.
std::optional<int64_t> BytesOf(const std::vector<int64_t>& shape, DType dtype) {
  int64_t bytes = DTypeBytes(dtype);
  for (const int64_t dim : shape) {
    if (__builtin_mul_overflow(bytes, dim, &bytes)) return std::nullopt;
  }
  return bytes;
}

// A list of whole numbers, none negative.
Result<std::vector<int64_t>> ParseList(const JsonReader& json, std::string_view key) {
  FATHOM_TRY(const JsonReader list, json.ArrayAt(key));
  std::vector<int64_t> values;
  for (const Json& item : list.value().as_array()) {
    if (!item.fits_int() || item.as_int() < 0) {
      return json.Mismatch(key, "a list of whole numbers, none negative");
    }
    values.push_back(item.as_int());
  }
  return values;
}

Result<DType> ParseType(const JsonReader& json) {
  FATHOM_TRY(const std::string name, json.String("dtype"));
  if (const std::optional<DType> dtype = ParseDType(name)) return *dtype;
  return BadInput(Format("type \"{}\" is not known", name), json.Where(),
                  "known: F32, F16, BF16, F8_E4M3, I8, I32, I64");
}

// One tensor; `data_start` is where the header ends.
Result<SafetensorsEntry> ParseEntry(const JsonReader& json, int64_t data_start, int64_t file_size) {
  SafetensorsEntry entry;
  FATHOM_TRY(entry.dtype, ParseType(json));
  FATHOM_TRY(entry.shape, ParseList(json, "shape"));
  FATHOM_TRY(const std::vector<int64_t> range, ParseList(json, "data_offsets"));
  if (range.size() != 2 || range[0] > range[1]) {
    return json.Mismatch("data_offsets", "[begin, end] with begin <= end");
  }
  if (range[1] > file_size - data_start) {
    return Within(json.Where(),
                  Damaged(Format("its data ends at byte {} of the data, of which the file has {}",
                                 range[1], file_size - data_start)));
  }
  entry.offset = data_start + range[0];
  entry.bytes = range[1] - range[0];
  if (BytesOf(entry.shape, entry.dtype) == entry.bytes) return entry;
  return Within(json.Where(), Damaged(Format("{} {} does not have {} bytes", DTypeName(entry.dtype),
                                             ShapeString(entry.shape), entry.bytes)));
}

// Every byte of the data belongs to exactly one tensor. `entries` are in the order of offsets.
Status CheckCoverage(const std::vector<SafetensorsEntry>& entries, int64_t data_start,
                     int64_t file_size) {
  int64_t end = data_start;
  std::string_view previous = "the header";
  for (const SafetensorsEntry& entry : entries) {
    if (entry.offset < end) {
      return Within(entry.name,
                    Damaged(Format("begins at byte {} and overlaps {}, which ends at {}",
                                   entry.offset, previous, end)));
    }
    if (entry.offset > end) {
      return Within(entry.name, Damaged(Format("begins at byte {} and leaves a gap after {}, which "
                                               "ends at {}",
                                               entry.offset, previous, end)));
    }
    end = entry.offset + entry.bytes;
    previous = entry.name;
  }
  if (end == file_size) return Ok();
  return Damaged(Format("the file has {} bytes, its header accounts for {}", file_size, end));
}

Result<int64_t> HeaderBytes(const ReadableFile& file) {
  std::array<char, kPrefixBytes> prefix{};
  if (file.size() < kPrefixBytes) {
    return Damaged(
        Format("the file has {} bytes, a safetensors file begins with 8 that give the "
               "length of its header",
               file.size()));
  }
  FATHOM_OK(file.ReadAt(0, std::as_writable_bytes(std::span(prefix))));
  if (std::string_view(prefix.data(), prefix.size()) == "version ") {
    return BadInput("the file is a Git LFS pointer, not the tensors it stands for", "",
                    "run `git lfs pull` in its folder, or download the file itself");
  }
  uint64_t length = 0;
  std::memcpy(&length, prefix.data(), prefix.size());
  if (length > static_cast<uint64_t>(kMaxSafetensorsHeader)) {
    return Damaged(
        Format("the header claims {} bytes, more than the {} a safetensors file may "
               "have",
               length, kMaxSafetensorsHeader));
  }
  const auto bytes = static_cast<int64_t>(length);
  if (bytes <= file.size() - kPrefixBytes) return bytes;
  return Damaged(Format("the header claims {} bytes, the file ends after {} of them", bytes,
                        file.size() - kPrefixBytes));
}

Result<std::vector<SafetensorsEntry>> ReadHeader(const ReadableFile& file) {
  FATHOM_TRY(const int64_t bytes, HeaderBytes(file));
  std::string json(static_cast<size_t>(bytes), '\0');
  FATHOM_OK(file.ReadAt(kPrefixBytes, std::as_writable_bytes(std::span(json))));
  return ParseSafetensorsHeader(json, file.size());
}

}  // namespace

Result<std::vector<SafetensorsEntry>> ParseSafetensorsHeader(std::string_view json,
                                                             int64_t file_size) {
  const int64_t data_start = kPrefixBytes + static_cast<int64_t>(json.size());
  const JsonSource source("header", kFetchAgain);
  FATHOM_TRY(const Json header, ParseJson(json, source));
  if (!header.is_object()) return JsonReader(header, source).Mismatch("", "an object");
  std::vector<SafetensorsEntry> entries;
  for (const auto& [name, value] : header.as_object()) {
    if (name == "__metadata__") continue;
    const JsonReader reader(value, JsonSource(name, kFetchAgain));
    if (name.empty()) return Damaged("a tensor has no name");
    if (!value.is_object()) return reader.Mismatch("", "an object");
    FATHOM_TRY(SafetensorsEntry entry, ParseEntry(reader, data_start, file_size));
    entry.name = name;
    entries.push_back(std::move(entry));
  }
  // Empty tensors come before the one that begins at the same byte.
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
  });
  FATHOM_OK(CheckCoverage(entries, data_start, file_size));
  return entries;
}

Result<std::vector<SafetensorsEntry>> ReadSafetensorsHeader(const ReadableFile& file) {
  auto entries = ReadHeader(file);
  if (entries.ok()) return entries;
  Error error = std::move(entries).error();
  if (error.kind == ErrorKind::kBadInput) error = Within(file.path(), std::move(error));
  return error;
}

}  // namespace fathom
