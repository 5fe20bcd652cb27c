#ifndef FATHOM_OPS_INT8_ROWS_H_
#define FATHOM_OPS_INT8_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/compute.h"
#include "ops/mat_mul.h"
#include "tensor/mat_view.h"

namespace fathom {

// Symmetric eight-bit codes of one row: value = code * scale, |code| <= 127. The scale is the
// largest magnitude / 127, codes are rounded to nearest, ties to even. A row of zeros has scale 0;
// one with a value that is no finite number has scale NaN, so that what is made of it is NaN.
// `codes` and `row` are equally long. Returns the scale.
float QuantizeRow(std::span<const float> row, std::span<int8_t> codes);

// How a kernel wants the codes of activations.
enum class Int8Form {
  kWide,    // int16
  kOffset,  // code + 128, as uint8
};

// The activations of a list of products in eight bits, each row by its own scale ("per-token
// dynamic"). The memory is kept from call to call.
class Int8Rows {
 public:
  // Quantises the rows of x of every task whose weight has eight-bit codes. Tasks with the same x
  // one after the other share them.
  void Quantize(const Compute& compute, Int8Form form, std::span<const MatMulTask> tasks);

  // Of task `index`: where its first row begins, and the scales of its rows. Rows are stride()
  // bytes apart, padded to a multiple of four columns with codes of zero.
  const std::byte* codes(size_t index) const { return codes_.data() + starts_[index].first_byte; }
  const float* scales(size_t index) const { return scales_.data() + starts_[index].first_row; }
  int64_t stride(size_t index) const { return starts_[index].stride; }

  // Most bytes that rows of so many columns take, in the wider form, and that a list of tasks does.
  static int64_t Bytes(int64_t rows, int64_t cols);
  static int64_t TaskBytes(int64_t tasks);

 private:
  struct Start {
    int64_t first_row = 0;
    int64_t first_byte = 0;
    int64_t stride = 0;
  };

  std::vector<Start> starts_;  // [tasks]
  std::vector<size_t> own_;    // tasks that share nobody's rows
  std::vector<std::byte> codes_;
  std::vector<float> scales_;
};

}  // namespace fathom

#endif  // FATHOM_OPS_INT8_ROWS_H_
