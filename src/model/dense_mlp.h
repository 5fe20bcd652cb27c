#ifndef FATHOM_MODEL_DENSE_MLP_H_
#define FATHOM_MODEL_DENSE_MLP_H_

#include "model/model_weights.h"
#include "ops/compute.h"
#include "tensor/mat_view.h"

namespace fathom {

// The gated feed-forward network: out = W_down (silu(W_gate x) * W_up x).
// Owns its buffers, which are as large as the largest step so far.
class DenseMlp {
 public:
  // x: normed inputs [n, hidden]; out: [n, hidden], before the residual sum.
  void Forward(const Compute& compute, const MlpWeights& weights, MatView<const float> x,
               MatView<float> out);

 private:
  Matrix<float> gate_;  // [n, intermediate]; then silu(gate) * up
  Matrix<float> up_;    // [n, intermediate]
};

}  // namespace fathom

#endif  // FATHOM_MODEL_DENSE_MLP_H_
