#ifndef FATHOM_OPS_ROPE_H_
#define FATHOM_OPS_ROPE_H_

#include <cstdint>
#include <span>

#include "tensor/mat_view.h"

namespace fathom {

// cos and sin of position * inverse_frequency[i] (angles in double, docs/formats/deepseek.md 6)
// times `magnitude`: one row a token, [tokens, dim / 2] each.
void RopeTables(std::span<const int32_t> positions, std::span<const double> inverse_frequencies,
                double magnitude, MatView<float> cos, MatView<float> sin);

// Rotates one vector in place by one table row. interleaved: pairs (2i, 2i+1); else (i, i + dim/2).
void ApplyRope(std::span<const float> cos, std::span<const float> sin, bool interleaved,
               std::span<float> x);

}  // namespace fathom

#endif  // FATHOM_OPS_ROPE_H_
