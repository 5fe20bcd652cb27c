#include "weights/npy.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "io/file_system.h"

namespace fathom {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are read as little-endian");

constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);  // with the version, 1.0
constexpr size_t kPrefixBytes = 10;                         // magic, version, length of the header
constexpr size_t kAlignment = 64;                           // of the data, as numpy writes it

struct TypeInfo {
  std::string_view descr;
  int64_t bytes;
};

// In the order of the enum.
constexpr std::array<TypeInfo, 6> kTypes = {
    {{"<f4", 4}, {"<f8", 8}, {"<i4", 4}, {"<i8", 8}, {"|u1", 1}, {"<u2", 2}}};

Error NotAnArray(std::string what) {
  return BadInput(std::move(what), "",
                  "write the array with numpy.save, in C order, as one of <f4 <f8 <i4 <i8 |u1 <u2");
}

int64_t TypeBytes(NpyType type) { return kTypes[static_cast<size_t>(type)].bytes; }

// Reads the header: a literal of a Python dictionary with the keys descr, fortran_order and shape.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  // False when the text is not such a literal.
  bool Read() {
    if (!Take("{")) return false;
    while (!Take("}")) {
      std::string_view key;
      if (!String(key) || !Take(":") || !Value(key)) return false;
      if (!Take(",") && !Next("}")) return false;
    }
    SkipSpace();
    return text_.empty() && !descr.empty() && has_order_ && has_shape_;
  }

  std::string_view descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;

 private:
  void SkipSpace() {
    const size_t start = text_.find_first_not_of(" \n");
    text_.remove_prefix(start == std::string_view::npos ? text_.size() : start);
  }
  bool Next(std::string_view token) {
    SkipSpace();
    return text_.starts_with(token);
  }
  bool Take(std::string_view token) {
    if (!Next(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  bool String(std::string_view& value) {
    if (!Take("'")) return false;
    const size_t end = text_.find('\'');
    if (end == std::string_view::npos) return false;
    value = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool Number(int64_t& value) {
    SkipSpace();
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) return false;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return true;
  }
  bool Shape() {
    shape.clear();
    if (!Take("(")) return false;
    while (!Take(")")) {
      int64_t dim = 0;
      if (!Number(dim)) return false;
      shape.push_back(dim);
      if (!Take(",") && !Next(")")) return false;
    }
    has_shape_ = true;
    return true;
  }
  bool Value(std::string_view key) {
    if (key == "descr") return String(descr);
    if (key == "shape") return Shape();
    if (key != "fortran_order") return false;
    has_order_ = true;
    fortran_order = Take("True");
    return fortran_order || Take("False");
  }

  std::string_view text_;
  bool has_order_ = false;
  bool has_shape_ = false;
};

std::optional<NpyType> TypeNamed(std::string_view descr) {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].descr == descr) return static_cast<NpyType>(i);
  }
  return std::nullopt;
}

Status CheckLength(const NpyArray& array, size_t data_bytes) {
  int64_t bytes = TypeBytes(array.type);
  for (const int64_t dim : array.shape) {
    if (__builtin_mul_overflow(bytes, dim, &bytes)) {
      return NotAnArray(Format("an array of shape {} has no size", ShapeString(array.shape)));
    }
  }
  if (static_cast<size_t>(bytes) == data_bytes) return Ok();
  return NotAnArray(Format("{} {} needs {} bytes of data, the file has {}",
                           kTypes[static_cast<size_t>(array.type)].descr, ShapeString(array.shape),
                           bytes, data_bytes));
}

std::string Header(int64_t rows, int64_t cols) {
  std::string header =
      Format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
  const size_t bytes = kPrefixBytes + header.size() + 1;
  header.append((kAlignment - bytes % kAlignment) % kAlignment, ' ');
  return header + '\n';
}

}  // namespace

int64_t NpyArray::elements() const { return static_cast<int64_t>(data.size()) / TypeBytes(type); }

template <typename T>
std::vector<T> NpyArray::As() const {
  constexpr NpyType kWanted = std::is_same_v<T, float>     ? NpyType::kFloat32
                              : std::is_same_v<T, double>  ? NpyType::kFloat64
                              : std::is_same_v<T, int32_t> ? NpyType::kInt32
                              : std::is_same_v<T, int64_t> ? NpyType::kInt64
                              : std::is_same_v<T, uint8_t> ? NpyType::kUint8
                                                           : NpyType::kUint16;
  FATHOM_CHECK(type == kWanted);
  std::vector<T> values(data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), data.data(), data.size());
  return values;
}
template std::vector<float> NpyArray::As() const;
template std::vector<double> NpyArray::As() const;
template std::vector<int32_t> NpyArray::As() const;
template std::vector<int64_t> NpyArray::As() const;
template std::vector<uint8_t> NpyArray::As() const;
template std::vector<uint16_t> NpyArray::As() const;

Result<NpyArray> ParseNpy(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic) || text.size() < kPrefixBytes) {
    return NotAnArray("not a .npy file of version 1.0");
  }
  uint16_t header_bytes = 0;
  std::memcpy(&header_bytes, text.data() + kMagic.size(), sizeof(header_bytes));
  if (header_bytes > text.size() - kPrefixBytes) {
    return NotAnArray(Format("the header claims {} bytes, the file ends after {} of them",
                             header_bytes, text.size() - kPrefixBytes));
  }
  HeaderReader header(text.substr(kPrefixBytes, header_bytes));
  if (!header.Read()) return NotAnArray("the header is not one that numpy writes");
  if (header.fortran_order) return NotAnArray("the array is in Fortran order, C order is needed");
  const std::optional<NpyType> type = TypeNamed(header.descr);
  if (!type) {
    return NotAnArray(Format("type \"{}\" is not known", header.descr));
  }
  NpyArray array{*type, std::move(header.shape), {}};
  const auto data = file.subspan(kPrefixBytes + header_bytes);
  FATHOM_OK(CheckLength(array, data.size()));
  array.data.assign(data.begin(), data.end());
  return array;
}

Result<NpyArray> ReadNpy(FileSystem& files, const std::string& path) {
  FATHOM_TRY(const auto file, files.Map(path));
  auto array = ParseNpy(file->bytes());
  if (array.ok()) return array;
  return Within(path, std::move(array).error());
}

NpyWriter::NpyWriter(std::unique_ptr<OutputFile> file, int64_t rows, int64_t cols)
    : file_(std::move(file)), rows_left_(rows), cols_(cols) {}

Result<NpyWriter> NpyWriter::Create(FileSystem& files, const std::string& path, int64_t rows,
                                    int64_t cols) {
  FATHOM_CHECK(rows >= 0 && cols >= 0);
  FATHOM_TRY(auto file, files.Create(path));
  const std::string header = Header(rows, cols);
  const auto length = static_cast<uint16_t>(header.size());
  FATHOM_OK(file->Append(kMagic));
  FATHOM_OK(file->Append(std::as_bytes(std::span(&length, 1))));
  FATHOM_OK(file->Append(header));
  return NpyWriter(std::move(file), rows, cols);
}

Status NpyWriter::AppendRow(std::span<const float> row) {
  FATHOM_CHECK(rows_left_ > 0 && static_cast<int64_t>(row.size()) == cols_);
  --rows_left_;
  return file_->Append(std::as_bytes(row));
}

Status NpyWriter::Commit() {
  FATHOM_CHECK(rows_left_ == 0);
  return file_->Commit();
}

}  // namespace fathom
