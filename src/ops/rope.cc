#include "ops/rope.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "tensor/mat_view.h"

namespace fathom {

void RopeTables(std::span<const int32_t> positions, std::span<const double> inverse_frequencies,
                double magnitude, MatView<float> cos, MatView<float> sin) {
  FATHOM_CHECK(cos.rows() == static_cast<int64_t>(positions.size()) && cos.rows() == sin.rows());
  FATHOM_CHECK(cos.cols() == static_cast<int64_t>(inverse_frequencies.size()) &&
               cos.cols() == sin.cols());
  for (int64_t t = 0; t < cos.rows(); ++t) {
    const double position = positions[static_cast<size_t>(t)];
    for (int64_t i = 0; i < cos.cols(); ++i) {
      const double angle = position * inverse_frequencies[static_cast<size_t>(i)];
      cos.RowPtr(t)[i] = static_cast<float>(std::cos(angle) * magnitude);
      sin.RowPtr(t)[i] = static_cast<float>(std::sin(angle) * magnitude);
    }
  }
}

void ApplyRope(std::span<const float> cos, std::span<const float> sin, bool interleaved,
               std::span<float> x) {
  const size_t half = cos.size();
  FATHOM_CHECK(sin.size() == half && x.size() == 2 * half);
  const size_t step = interleaved ? 2 : 1;
  const size_t partner = interleaved ? 1 : half;
  for (size_t i = 0; i < half; ++i) {
    const float a = x[i * step];
    const float b = x[i * step + partner];
    x[i * step] = a * cos[i] - b * sin[i];
    x[i * step + partner] = a * sin[i] + b * cos[i];
  }
}

}  // namespace fathom
