#include "ops/elementwise.h"

#include <cstdint>
#include <cstring>
#include <span>

#include "base/check.h"
#include "ops/compute.h"
#include "ops/elementwise_kernel.h"
#include "ops/profile.h"
#include "ops/row_loop.h"
#include "tensor/float_codec.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

template <typename A, typename B>
bool SameShape(const MatView<A>& a, const MatView<B>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols();
}

SiluMulKernel SiluMulFor(Isa isa) {
#if defined(FATHOM_X86_KERNELS)
  if (isa == Isa::kAvx2) return SiluMulAvx2;
  if (isa == Isa::kAvx512) return SiluMulAvx512;
#endif
  FATHOM_CHECK(isa == Isa::kPortable);
  return SiluMulPortable;
}

// RoundToBf16 for a few values at once: with a count the compiler knows it takes vectors.
constexpr int64_t kRoundLanes = 16;
void RoundLanes(float* x) {
  uint32_t bits[kRoundLanes];
  std::memcpy(bits, x, sizeof(bits));
  for (uint32_t& value : bits) {
    const uint32_t rounded = value + 0x7FFFU + ((value >> 16) & 1U);
    const bool is_nan = (value & 0x7FFFFFFFU) > 0x7F800000U;
    value = (is_nan ? value | 0x400000U : rounded) & 0xFFFF0000U;
  }
  std::memcpy(x, bits, sizeof(bits));
}

}  // namespace

void RoundActivations(const Compute& compute, MatView<float> x) {
  if (compute.activations != Activations::kBfloat16) return;
  CountValues(compute, 2 * x.rows() * x.cols());
  ForEachRow(compute, x.rows(), x.cols(), [&](int64_t r) {
    float* row = x.RowPtr(r);
    int64_t c = 0;
    for (; c + kRoundLanes <= x.cols(); c += kRoundLanes) RoundLanes(row + c);
    for (; c < x.cols(); ++c) row[c] = RoundToBf16(row[c]);
  });
}

void SiluMul(const Compute& compute, MatView<const float> gate, MatView<const float> up,
             MatView<float> out) {
  FATHOM_CHECK(SameShape(gate, up) && SameShape(gate, out));
  CountValues(compute, 3 * out.rows() * out.cols());
  const SiluMulKernel kernel = SiluMulFor(compute.isa);
  ForEachRow(compute, out.rows(), out.cols(),
             [&](int64_t r) { kernel(gate.RowPtr(r), up.RowPtr(r), out.cols(), out.RowPtr(r)); });
}

void Add(const Compute& compute, MatView<const float> y, MatView<float> x) {
  FATHOM_CHECK(SameShape(x, y));
  CountValues(compute, 3 * x.rows() * x.cols());
  ForEachRow(compute, x.rows(), x.cols(), [&](int64_t r) {
    const float* in = y.RowPtr(r);
    float* out = x.RowPtr(r);
    for (int64_t c = 0; c < x.cols(); ++c) out[c] += in[c];
  });
}

void AddBias(const Compute& compute, std::span<const float> bias, MatView<float> x) {
  FATHOM_CHECK(static_cast<int64_t>(bias.size()) == x.cols());
  CountValues(compute, 2 * x.rows() * x.cols());
  ForEachRow(compute, x.rows(), x.cols(), [&](int64_t r) {
    float* out = x.RowPtr(r);
    for (int64_t c = 0; c < x.cols(); ++c) out[c] += bias[static_cast<size_t>(c)];
  });
}

}  // namespace fathom
