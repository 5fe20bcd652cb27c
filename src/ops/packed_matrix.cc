#include "ops/packed_matrix.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/math.h"
#include "tensor/dtype.h"
#include "tensor/float_codec.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

constexpr int64_t kPanelRows = PackedMatrix::kPanelRows;

bool InPairs(DType dtype) { return dtype == DType::kBF16 || dtype == DType::kF8E4M3; }

template <typename T>
constexpr bool kInPairs = std::is_same_v<T, Bf16> || std::is_same_v<T, F8E4M3>;

// Writes one row of a segment into its lane of a panel; `codes` may have any alignment.
template <typename T>
void PackLane(const std::byte* codes, int64_t cols, T* lane) {
  constexpr int64_t kStep = kInPairs<T> ? 2 : 1;
  T row[PackedMatrix::kSegmentCols + 1] = {};
  std::memcpy(row, codes, static_cast<size_t>(cols) * sizeof(T));
  for (int64_t c = 0; c < cols; c += kStep) {
    std::memcpy(lane + c * kPanelRows, row + c, kStep * sizeof(T));
  }
}

template <typename T>
void ZeroLane(int64_t cols, T* lane) {
  constexpr int64_t kStep = kInPairs<T> ? 2 : 1;
  for (int64_t c = 0; c < cols; c += kStep) {
    std::fill_n(lane + c * kPanelRows, kStep, T{});
  }
}

// Writes one row into its lane of a panel, the last four columns filled up with zeros.
void PackInt8Lane(const int8_t* codes, int64_t cols, std::byte* lane) {
  constexpr int64_t kStep = PackedMatrix::kInt8Columns;
  int64_t c = 0;
  for (; c + kStep <= cols; c += kStep, lane += kStep * kPanelRows) {
    std::memcpy(lane, codes + c, kStep);
  }
  if (c == cols) return;
  int8_t last[kStep] = {};
  std::copy(codes + c, codes + cols, last);
  std::memcpy(lane, last, sizeof(last));
}

// In running sums, so that the loop takes vectors.
int32_t SumOf(const int8_t* codes, int64_t cols) {
  constexpr int64_t kSums = 16;
  int32_t sums[kSums] = {};
  int64_t c = 0;
  for (; c + kSums <= cols; c += kSums) {
    for (int64_t i = 0; i < kSums; ++i) sums[i] += codes[c + i];
  }
  return std::accumulate(codes + c, codes + cols, std::accumulate(sums, sums + kSums, 0));
}

void ZeroInt8Lane(int64_t cols, std::byte* lane) {
  constexpr int64_t kStep = PackedMatrix::kInt8Columns;
  for (int64_t c = 0; c < cols; c += kStep, lane += kStep * kPanelRows) {
    std::memset(lane, 0, kStep);
  }
}

template <typename T>
std::vector<T> Transposed(const T* codes, int64_t rows, int64_t cols) {
  std::vector<T> out(static_cast<size_t>(rows * cols));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) out[static_cast<size_t>(c * rows + r)] = codes[r * cols + c];
  }
  return out;
}

std::span<const std::byte> RowCodes(const StoredWeight& weight, int64_t first, int64_t count) {
  FATHOM_CHECK(first >= 0 && count >= 0 && first + count <= weight.rows);
  const int64_t row_bytes = weight.cols * DTypeBytes(weight.dtype);
  FATHOM_CHECK(static_cast<int64_t>(weight.codes.size()) == weight.rows * row_bytes);
  return weight.codes.subspan(static_cast<size_t>(first * row_bytes),
                              static_cast<size_t>(count * row_bytes));
}

}  // namespace

// Where the scale of an element lies: a stored grid, seen through a cut and perhaps transposed.
struct PackedMatrix::ScaleGrid {
  std::span<const float> scales;  // empty: 1 everywhere
  int64_t row_step;               // grid elements from one block of matrix rows to the next
  int64_t col_step;
  int64_t block_rows;
  int64_t block_cols;
  int64_t row_phase = 0;  // stored index of matrix row 0
  int64_t col_phase = 0;

  float At(int64_t row, int64_t col) const {
    if (scales.empty()) return 1;
    const int64_t r = (row + row_phase) / block_rows;
    const int64_t c = (col + col_phase) / block_cols;
    return scales[static_cast<size_t>(r * row_step + c * col_step)];
  }
  // Columns from `col` to the end of its block.
  int64_t BlockRest(int64_t col) const { return block_cols - (col + col_phase) % block_cols; }
};

PackedMatrix::PackedMatrix(DType dtype, int64_t rows, int64_t cols, std::span<const float> scales,
                           int64_t block_rows, int64_t block_cols)
    : PackedMatrix(dtype, rows, cols,
                   ScaleGrid{.scales = scales,
                             .row_step = CeilDiv(cols, block_cols),
                             .col_step = 1,
                             .block_rows = block_rows,
                             .block_cols = block_cols}) {
  FATHOM_CHECK(scales.empty() || static_cast<int64_t>(scales.size()) ==
                                     CeilDiv(rows, block_rows) * CeilDiv(cols, block_cols));
}

PackedMatrix::PackedMatrix(DType dtype, int64_t rows, int64_t cols, const ScaleGrid& grid)
    : dtype_(dtype), rows_(rows), cols_(cols) {
  FATHOM_CHECK(rows >= 0 && cols >= 0 && grid.block_rows > 0 && grid.block_cols > 0);
  CutSegments(grid);
  codes_ = AlignedBuffer<std::byte>(panels() * panel_bytes_);
  for (int64_t i = 0; i < panels(); ++i) AddPanelScales(grid, i);
}

void PackedMatrix::CutSegments(const ScaleGrid& grid) {
  int64_t place = 0;
  for (int64_t col = 0; col < cols_;) {
    int64_t count = std::min(kSegmentCols - col % kSegmentCols, cols_ - col);
    if (!grid.scales.empty()) count = std::min(count, grid.BlockRest(col));
    segments_.push_back({.first_col = col, .cols = count, .first_place = place});
    place += InPairs(dtype_) ? CeilDiv(count, 2) * 2 : count;
    col += count;
  }
  panel_bytes_ = place * kPanelRows * DTypeBytes(dtype_);
}

void PackedMatrix::AddPanelScales(const ScaleGrid& grid, int64_t panel) {
  std::vector<float> rows;
  std::vector<float> uniform;
  bool is_uniform = true;
  for (const PackedSegment& segment : segments_) {
    uniform.push_back(grid.At(panel * kPanelRows, segment.first_col));
    for (int64_t r = 0; r < kPanelRows; ++r) {
      const int64_t row = std::min(panel * kPanelRows + r, rows_ - 1);
      rows.push_back(grid.At(row, segment.first_col));
      is_uniform = is_uniform && rows.back() == uniform.back();
    }
  }
  const std::vector<float>& values = is_uniform ? uniform : rows;
  const bool repeats =
      !panel_scales_.empty() && panel_scales_.back().uniform == is_uniform &&
      std::equal(values.begin(), values.end(), scales_.end() - static_cast<int64_t>(values.size()));
  if (repeats) {
    panel_scales_.push_back(panel_scales_.back());
    return;
  }
  panel_scales_.push_back({.offset = static_cast<int64_t>(scales_.size()), .uniform = is_uniform});
  scales_.insert(scales_.end(), values.begin(), values.end());
}

PanelScales PackedMatrix::panel_scales(int64_t index) const {
  const PanelScaleRef& ref = panel_scales_[static_cast<size_t>(index)];
  return {.values = scales_.data() + ref.offset, .uniform = ref.uniform};
}

void PackedMatrix::PackRows(int64_t first, std::span<const std::byte> codes) {
  const int64_t row_bytes = cols_ * DTypeBytes(dtype_);
  if (codes.empty()) return;
  const int64_t count = static_cast<int64_t>(codes.size()) / row_bytes;
  FATHOM_CHECK(count * row_bytes == static_cast<int64_t>(codes.size()));
  CheckPackedRange(first, count);
  for (int64_t r = 0; r < count; r += kPanelRows) {
    PackPanel((first + r) / kPanelRows, codes.data() + r * row_bytes,
              std::min(kPanelRows, count - r));
  }
}

void PackedMatrix::CheckPackedRange(int64_t first, int64_t count) const {
  FATHOM_CHECK(first >= 0 && first % kPanelRows == 0 && first + count <= rows_);
  FATHOM_CHECK(count % kPanelRows == 0 || first + count == rows_);
}

PackedMatrix PackedMatrix::Int8(int64_t rows, int64_t cols) {
  FATHOM_CHECK(rows >= 0 && cols > 0 && cols <= kMostInt8Cols);
  PackedMatrix matrix;
  matrix.dtype_ = DType::kI8;
  matrix.rows_ = rows;
  matrix.cols_ = cols;
  matrix.segments_ = {{.first_col = 0, .cols = cols, .first_place = 0}};
  matrix.panel_bytes_ = CeilDiv(cols, kInt8Columns) * kInt8Columns * kPanelRows;
  matrix.codes_ = AlignedBuffer<std::byte>(matrix.panels() * matrix.panel_bytes_);
  matrix.scales_.assign(static_cast<size_t>(matrix.panels() * kPanelRows), 0);
  matrix.row_sums_.assign(matrix.scales_.size(), 0);
  return matrix;
}

void PackedMatrix::PackInt8Rows(int64_t first, std::span<const int8_t> codes,
                                std::span<const float> scales) {
  const auto count = static_cast<int64_t>(scales.size());
  FATHOM_CHECK(dtype_ == DType::kI8 && static_cast<int64_t>(codes.size()) == count * cols_);
  CheckPackedRange(first, count);
  for (int64_t r = 0; r < count; ++r) {
    const auto row = static_cast<size_t>(first + r);
    PackInt8Lane(codes.data() + r * cols_, cols_, Int8Lane(first + r));
    row_sums_[row] = SumOf(codes.data() + r * cols_, cols_);
    scales_[row] = scales[static_cast<size_t>(r)];
  }
  for (int64_t row = first + count; row % kPanelRows != 0; ++row) {
    ZeroInt8Lane(cols_, Int8Lane(row));
  }
}

std::byte* PackedMatrix::Int8Lane(int64_t row) const {
  return codes_.data() + row / kPanelRows * panel_bytes_ + row % kPanelRows * kInt8Columns;
}

void PackedMatrix::CopyInt8Row(int64_t row, std::span<float> out) const {
  const std::byte* lane = Int8Lane(row);
  for (int64_t c = 0; c < cols_; ++c) {
    const auto code =
        static_cast<int8_t>(lane[c / kInt8Columns * kInt8Columns * kPanelRows + c % kInt8Columns]);
    out[static_cast<size_t>(c)] = static_cast<float>(code) * scales_[static_cast<size_t>(row)];
  }
}

void PackedMatrix::PackPanel(int64_t index, const std::byte* codes, int64_t count) {
  VisitFloatType(dtype_, [&]<typename T>(T) {
    constexpr int64_t kStep = kInPairs<T> ? 2 : 1;
    constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
    T* out = reinterpret_cast<T*>(codes_.data() + index * panel_bytes_);
    for (const PackedSegment& segment : segments_) {
      for (int64_t r = 0; r < kPanelRows; ++r) {
        T* lane = out + segment.first_place * kPanelRows + r * kStep;
        const std::byte* row = codes + (r * cols_ + segment.first_col) * kBytes;
        r < count ? PackLane(row, segment.cols, lane) : ZeroLane(segment.cols, lane);
      }
    }
  });
}

PackedMatrix PackedMatrix::FromRows(const StoredWeight& weight, int64_t first, int64_t count) {
  PackedMatrix matrix(weight.dtype, count, weight.cols,
                      ScaleGrid{.scales = weight.scales,
                                .row_step = CeilDiv(weight.cols, weight.block_cols),
                                .col_step = 1,
                                .block_rows = weight.block_rows,
                                .block_cols = weight.block_cols,
                                .row_phase = first});
  matrix.PackRows(0, RowCodes(weight, first, count));
  return matrix;
}

PackedMatrix PackedMatrix::FromRowsTransposed(const StoredWeight& weight, int64_t first,
                                              int64_t count) {
  PackedMatrix matrix(weight.dtype, weight.cols, count,
                      ScaleGrid{.scales = weight.scales,
                                .row_step = 1,
                                .col_step = CeilDiv(weight.cols, weight.block_cols),
                                .block_rows = weight.block_cols,
                                .block_cols = weight.block_rows,
                                .col_phase = first});
  const std::span<const std::byte> codes = RowCodes(weight, first, count);
  VisitFloatType(weight.dtype, [&]<typename T>(T) {
    const std::vector<T> turned =
        Transposed(reinterpret_cast<const T*>(codes.data()), count, weight.cols);
    matrix.PackRows(0, std::as_bytes(std::span(turned)));
  });
  return matrix;
}

int64_t PackedMatrix::bytes() const {
  const size_t tables =
      segments_.capacity() * sizeof(PackedSegment) + scales_.capacity() * sizeof(float) +
      row_sums_.capacity() * sizeof(int32_t) + panel_scales_.capacity() * sizeof(PanelScaleRef);
  return codes_.size() + static_cast<int64_t>(tables);
}

void PackedMatrix::CopyRow(int64_t row, std::span<float> out) const {
  FATHOM_CHECK(row >= 0 && row < rows_ && static_cast<int64_t>(out.size()) == cols_);
  if (dtype_ == DType::kI8) return CopyInt8Row(row, out);
  const PanelScales scales = panel_scales(row / kPanelRows);
  const int64_t lane = row % kPanelRows;
  VisitFloatType(dtype_, [&]<typename T>(T) {
    constexpr int64_t kStep = kInPairs<T> ? 2 : 1;
    const T* codes = reinterpret_cast<const T*>(panel(row / kPanelRows));
    for (size_t s = 0; s < segments_.size(); ++s) {
      const PackedSegment& segment = segments_[s];
      const float scale =
          scales.values[scales.uniform ? s : s * kPanelRows + static_cast<size_t>(lane)];
      for (int64_t c = 0; c < segment.cols; ++c) {
        const int64_t place = (segment.first_place + c / kStep * kStep) * kPanelRows;
        const float value = ToFloat(codes[place + lane * kStep + c % kStep]);
        out[static_cast<size_t>(segment.first_col + c)] = value * scale;
      }
    }
  });
}

}  // namespace fathom
