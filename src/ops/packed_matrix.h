#ifndef FATHOM_OPS_PACKED_MATRIX_H_
#define FATHOM_OPS_PACKED_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {

// A weight as a checkpoint stores it: [rows, cols] row-major codes, and for FP8 the grid of block
// scales. Element (r, c) = decode(codes[r * cols + c]) * scales[(r / block_rows) * ceil(cols /
// block_cols) + c / block_cols].
struct StoredWeight {
  DType dtype = DType::kBF16;  // F32, F16, BF16 or F8_E4M3
  int64_t rows = 0;
  int64_t cols = 0;
  std::span<const std::byte> codes;
  std::span<const float> scales;  // empty: no scales
  int64_t block_rows = 128;
  int64_t block_cols = 128;
};

// A stretch of columns that is summed before its scales are applied.
struct PackedSegment {
  int64_t first_col = 0;
  int64_t cols = 0;         // <= PackedMatrix::kSegmentCols
  int64_t first_place = 0;  // where it begins inside a panel, in columns stored
};

// The scales of one panel: values[s] holds for all its rows in segment s, or, if not uniform,
// values[s * kPanelRows + row].
struct PanelScales {
  const float* values = nullptr;
  bool uniform = true;
};

// A weight matrix W [rows, cols] in its stored width or in eight-bit codes, in the order MatMul
// reads it: panels of kPanelRows rows (outputs) side by side, so that one activation feeds
// kPanelRows products and no sum runs across lanes. The last panel is padded with zeros.
//
// Sums run in segments of the inner dimension: a segment is summed first, then multiplied by its
// scales and added to the total. Segments end at multiples of 128 columns and wherever the scale of
// a row changes, so that any cut or transposition of an FP8 matrix stays exact.
//
// Inside a panel: F32 and F16 lie as [col][row]. BF16 and F8 lie in pairs of columns,
// [col / 2][row][2], so that one 32-bit (BF16) or 16-bit (F8) lane holds two columns of one row;
// a segment of odd length is padded with a zero column.
//
// I8 has a scale a row and one segment: products of codes are summed as integers, exactly, over all
// columns. Its columns lie in fours, [col / 4][row][4], padded with zeros.
class PackedMatrix {
 public:
  static constexpr int64_t kPanelRows = 16;
  static constexpr int64_t kSegmentCols = 128;
  static constexpr int64_t kInt8Columns = 4;
  static constexpr int64_t kMostInt8Cols = 1 << 16;  // what 32-bit sums of products hold

  PackedMatrix() = default;
  // An empty matrix to be filled by PackRows. `scales` as in StoredWeight (copied), empty for none.
  PackedMatrix(DType dtype, int64_t rows, int64_t cols, std::span<const float> scales = {},
               int64_t block_rows = 128, int64_t block_cols = 128);

  // Packs rows [first, first + codes.size() / row bytes) from their stored codes; first is a
  // multiple of kPanelRows. The count is one too, unless the range ends with the matrix. Disjoint
  // ranges may be packed by several threads at once. No kernel decodes an FP8 NaN as one: whoever
  // reads codes refuses them (FindNonFinite).
  void PackRows(int64_t first, std::span<const std::byte> codes);

  // An empty matrix of eight-bit codes, to be filled by PackInt8Rows.
  static PackedMatrix Int8(int64_t rows, int64_t cols);
  // As PackRows: codes [n, cols] of rows from `first` on, and a scale for each: element (r, c) =
  // codes[r][c] * scales[r].
  void PackInt8Rows(int64_t first, std::span<const int8_t> codes, std::span<const float> scales);

  // Rows [first, first + count) of a stored weight as a matrix of its own; any first.
  static PackedMatrix FromRows(const StoredWeight& weight, int64_t first, int64_t count);
  // The same rows transposed: [weight.cols, count].
  static PackedMatrix FromRowsTransposed(const StoredWeight& weight, int64_t first, int64_t count);

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  DType dtype() const { return dtype_; }
  int64_t bytes() const;  // memory held

  // out[c] = W[row][c] in float32, scales applied.
  void CopyRow(int64_t row, std::span<float> out) const;

  // What kernels read.
  int64_t panels() const { return (rows_ + kPanelRows - 1) / kPanelRows; }
  int64_t panel_bytes() const { return panel_bytes_; }
  const std::byte* panel(int64_t index) const { return codes_.data() + index * panel_bytes_; }
  std::span<const PackedSegment> segments() const { return segments_; }
  PanelScales panel_scales(int64_t index) const;
  // Of I8, of 16 rows each: their scales, and the sums of their codes.
  const float* row_scales(int64_t panel) const { return scales_.data() + panel * kPanelRows; }
  const int32_t* row_sums(int64_t panel) const { return row_sums_.data() + panel * kPanelRows; }

 private:
  struct ScaleGrid;
  struct PanelScaleRef {
    int64_t offset = 0;  // into scales_
    bool uniform = true;
  };

  PackedMatrix(DType dtype, int64_t rows, int64_t cols, const ScaleGrid& grid);
  void CutSegments(const ScaleGrid& grid);
  void AddPanelScales(const ScaleGrid& grid, int64_t panel);
  void CheckPackedRange(int64_t first, int64_t count) const;
  std::byte* Int8Lane(int64_t row) const;
  void CopyInt8Row(int64_t row, std::span<float> out) const;
  void PackPanel(int64_t index, const std::byte* codes, int64_t count);

  DType dtype_ = DType::kBF16;
  int64_t rows_ = 0;
  int64_t cols_ = 0;
  int64_t panel_bytes_ = 0;
  AlignedBuffer<std::byte> codes_;  // [panels][panel_bytes_]
  std::vector<PackedSegment> segments_;
  std::vector<float> scales_;
  std::vector<int32_t> row_sums_;            // of I8
  std::vector<PanelScaleRef> panel_scales_;  // [panels]; equal neighbours share their values
};

}  // namespace fathom

#endif  // FATHOM_OPS_PACKED_MATRIX_H_
