#include "weights/npy_writer.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "io/file_system.h"

namespace fathom {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as little-endian");

constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);  // with the version, 1.0
constexpr size_t kPrefixBytes = 10;                         // magic, version, length of the header
constexpr size_t kAlignment = 64;                           // of the data, as numpy writes it

std::string Header(int64_t rows, int64_t cols) {
  std::string header =
      Format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
  const size_t bytes = kPrefixBytes + header.size() + 1;
  header.append((kAlignment - bytes % kAlignment) % kAlignment, ' ');
  return header + '\n';
}

}  // namespace

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
