#ifndef FATHOM_OPS_ELEMENTWISE_KERNEL_H_
#define FATHOM_OPS_ELEMENTWISE_KERNEL_H_

#include <cstdint>

#include "ops/vec_exp.h"

// Compiled with the flags of several instruction sets: templates over the vector type only.

namespace fathom {

// out[i] = silu(gate[i]) * up[i] for i < count.
using SiluMulKernel = void (*)(const float* gate, const float* up, int64_t count, float* out);
void SiluMulPortable(const float* gate, const float* up, int64_t count, float* out);
void SiluMulAvx2(const float* gate, const float* up, int64_t count, float* out);
void SiluMulAvx512(const float* gate, const float* up, int64_t count, float* out);

template <typename V>
void SiluMulLanes(const float* gate, const float* up, float* out) {
  const typename V::Lanes one = V::Broadcast(1);
  const typename V::Lanes g = V::Load(gate);
  const typename V::Lanes power = Exp<V>(V::Mul(g, V::Broadcast(-1)));
  V::Store(out, V::Mul(V::Div(g, V::Add(one, power)), V::Load(up)));
}

template <typename V>
void SiluMulRow(const float* gate, const float* up, int64_t count, float* out) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) SiluMulLanes<V>(gate + i, up + i, out + i);
  if (i == count) return;
  float last[3][16] = {};
  for (int64_t j = i; j < count; ++j) {
    last[0][j - i] = gate[j];
    last[1][j - i] = up[j];
  }
  SiluMulLanes<V>(last[0], last[1], last[2]);
  for (int64_t j = i; j < count; ++j) out[j] = last[2][j - i];
}

}  // namespace fathom

#endif  // FATHOM_OPS_ELEMENTWISE_KERNEL_H_
