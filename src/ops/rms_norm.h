#ifndef FATHOM_OPS_RMS_NORM_H_
#define FATHOM_OPS_RMS_NORM_H_

#include <span>

#include "ops/compute.h"
#include "tensor/mat_view.h"

namespace fathom {

// Scales each row of `x` to unit root mean square, then by `weight`:
//   out[r][c] = x[r][c] / sqrt(mean(x[r]^2) + eps) * weight[c]
//
// Shapes    x, out: [rows, cols]; weight: [cols]. rows may be 0, cols may not.
// Types     f32 throughout; the sum of squares is taken in f64.
// Aliasing  out may be x itself; otherwise the two must not overlap.
void RmsNorm(const Compute& compute, MatView<const float> x, std::span<const float> weight,
             double eps, MatView<float> out);

}  // namespace fathom

#endif  // FATHOM_OPS_RMS_NORM_H_
