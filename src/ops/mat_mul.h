#ifndef FATHOM_OPS_MAT_MUL_H_
#define FATHOM_OPS_MAT_MUL_H_

#include <span>

#include "ops/compute.h"
#include "ops/packed_matrix.h"
#include "tensor/mat_view.h"

namespace fathom {

// One product: out = x * W^T. x: [m, W.cols], out: [m, W.rows]; m may be 0.
struct MatMulTask {
  MatView<const float> x;
  const PackedMatrix* weight = nullptr;
  MatView<float> out;
};

// Runs the products as one list of work over the pool (one barrier for all): a projection is a list
// of one, the experts of an MoE layer are a list of many.
//
// Sums      out[t][r] = sum over segments s of scale[s][r] * (sum over c in s of x[t][c] *
// w[r][c]); columns in
//           order within a segment, segments in order. Batch-invariant: bitwise the same for any m,
//           task list and thread count on one ISA.
// I8        weights take eight-bit activations, each row of x quantised by its own scale
//           (ops/int8_rows.h; compute.int8_rows is needed): the sum of code products is exact, then
//           out[t][r] = sum * (scale of x[t] * scale of W[r]). The same bits on every ISA.
// bfloat16  with compute.activations == kBfloat16 every x must already hold bfloat16 values
// (RoundActivations). Aliasing  no out may overlap an x or another out.
void MatMul(const Compute& compute, std::span<const MatMulTask> tasks);

}  // namespace fathom

#endif  // FATHOM_OPS_MAT_MUL_H_
