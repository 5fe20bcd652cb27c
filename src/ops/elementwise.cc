#include "ops/elementwise.h"

#include <cmath>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "ops/row_loop.h"
#include "tensor/float_codec.h"

namespace fathom {
namespace {

template <typename A, typename B>
bool SameShape(const MatView<A>& a, const MatView<B>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols();
}

}  // namespace

void RoundActivations(const Compute& compute, MatView<float> x) {
  if (compute.activations != Activations::kBfloat16) return;
  ForEachRow(compute, x.rows(), x.cols(), [&](int64_t r) {
    for (float& value : x[r]) value = RoundToBf16(value);
  });
}

void SiluMul(const Compute& compute, MatView<const float> gate, MatView<const float> up,
             MatView<float> out) {
  FATHOM_CHECK(SameShape(gate, up) && SameShape(gate, out));
  ForEachRow(compute, out.rows(), out.cols(), [&](int64_t r) {
    const float* g = gate.RowPtr(r);
    const float* u = up.RowPtr(r);
    float* o = out.RowPtr(r);
    for (int64_t c = 0; c < out.cols(); ++c) o[c] = g[c] / (1 + std::exp(-g[c])) * u[c];
  });
}

void Add(const Compute& compute, MatView<const float> y, MatView<float> x) {
  FATHOM_CHECK(SameShape(x, y));
  ForEachRow(compute, x.rows(), x.cols(), [&](int64_t r) {
    const float* in = y.RowPtr(r);
    float* out = x.RowPtr(r);
    for (int64_t c = 0; c < x.cols(); ++c) out[c] += in[c];
  });
}

void AddBias(const Compute& compute, std::span<const float> bias, MatView<float> x) {
  FATHOM_CHECK(static_cast<int64_t>(bias.size()) == x.cols());
  ForEachRow(compute, x.rows(), x.cols(), [&](int64_t r) {
    float* out = x.RowPtr(r);
    for (int64_t c = 0; c < x.cols(); ++c) out[c] += bias[static_cast<size_t>(c)];
  });
}

}  // namespace fathom
