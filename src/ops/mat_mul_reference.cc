#include "ops/mat_mul_reference.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ops/packed_matrix.h"
#include "tensor/dtype.h"
#include "tensor/float_codec.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

template <typename T>
double Decode(const std::byte* code) {
  T value;
  std::memcpy(&value, code, sizeof(value));
  return static_cast<double>(ToFloat(value));
}

}  // namespace

double StoredElement(const StoredWeight& weight, int64_t row, int64_t col) {
  const std::byte* code =
      weight.codes.data() + (row * weight.cols + col) * DTypeBytes(weight.dtype);
  double value = 0;
  if (weight.dtype == DType::kF32) value = Decode<float>(code);
  if (weight.dtype == DType::kF16) value = Decode<F16>(code);
  if (weight.dtype == DType::kBF16) value = Decode<Bf16>(code);
  if (weight.dtype == DType::kF8E4M3) value = Decode<F8E4M3>(code);
  if (weight.scales.empty()) return value;
  const int64_t grid_cols = (weight.cols + weight.block_cols - 1) / weight.block_cols;
  const int64_t block = row / weight.block_rows * grid_cols + col / weight.block_cols;
  return value * static_cast<double>(weight.scales[static_cast<size_t>(block)]);
}

ReferenceProduct MatMulReference(const StoredWeight& weight, MatView<const float> x) {
  ReferenceProduct product;
  for (int64_t t = 0; t < x.rows(); ++t) {
    for (int64_t r = 0; r < weight.rows; ++r) {
      double sum = 0;
      double magnitude = 0;
      for (int64_t c = 0; c < weight.cols; ++c) {
        const double term = static_cast<double>(x.RowPtr(t)[c]) * StoredElement(weight, r, c);
        sum += term;
        magnitude += std::abs(term);
      }
      product.y.push_back(sum);
      product.magnitude.push_back(magnitude);
    }
  }
  return product;
}

}  // namespace fathom
