#ifndef FATHOM_OPS_ELEMENTWISE_H_
#define FATHOM_OPS_ELEMENTWISE_H_

#include <span>

#include "ops/compute.h"
#include "tensor/mat_view.h"

namespace fathom {

// Rounds x to bfloat16 values in place when activations are bfloat16; nothing in float32.
void RoundActivations(const Compute& compute, MatView<float> x);

// out = silu(gate) * up, silu(v) = v / (1 + exp(-v)). All [rows, cols]; out may be gate or up.
void SiluMul(const Compute& compute, MatView<const float> gate, MatView<const float> up,
             MatView<float> out);

// x += y.
void Add(const Compute& compute, MatView<const float> y, MatView<float> x);

// x[r] += bias for every row.
void AddBias(const Compute& compute, std::span<const float> bias, MatView<float> x);

}  // namespace fathom

#endif  // FATHOM_OPS_ELEMENTWISE_H_
