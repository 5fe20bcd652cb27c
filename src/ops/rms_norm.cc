#include "ops/rms_norm.h"

#include <cmath>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "ops/compute.h"
#include "ops/profile.h"
#include "ops/row_loop.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

// In eight running sums, so that the loop runs in vectors; the order is fixed by cols alone.
double SumOfSquares(const float* x, int64_t cols) {
  constexpr int64_t kSums = 8;
  double sums[kSums] = {};
  int64_t c = 0;
  for (; c + kSums <= cols; c += kSums) {
    for (int64_t i = 0; i < kSums; ++i) {
      const auto value = static_cast<double>(x[c + i]);
      sums[i] += value * value;
    }
  }
  for (int64_t i = 0; c < cols; ++c, ++i) {
    const auto value = static_cast<double>(x[c]);
    sums[i] += value * value;
  }
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

}  // namespace

void RmsNorm(const Compute& compute, MatView<const float> x, std::span<const float> weight,
             double eps, MatView<float> out) {
  FATHOM_CHECK(x.rows() == out.rows() && x.cols() == out.cols() && x.cols() > 0);
  FATHOM_CHECK(static_cast<int64_t>(weight.size()) == x.cols());
  CountValues(compute, 2 * x.rows() * x.cols());
  ForEachRow(compute, x.rows(), x.cols(), [&](int64_t r) {
    const float* in = x.RowPtr(r);
    float* to = out.RowPtr(r);
    const double mean = SumOfSquares(in, x.cols()) / static_cast<double>(x.cols());
    const auto inverse = static_cast<float>(1 / std::sqrt(mean + eps));
    const float* w = weight.data();
    for (int64_t c = 0; c < x.cols(); ++c) to[c] = in[c] * inverse * w[c];
  });
}

}  // namespace fathom
