#include "model/dense_mlp.h"

#include "model/model_weights.h"
#include "ops/compute.h"
#include "ops/elementwise.h"
#include "ops/mat_mul.h"
#include "ops/profile.h"
#include "tensor/mat_view.h"

namespace fathom {

void DenseMlp::Forward(const Compute& compute, const MlpWeights& weights, MatView<const float> x,
                       MatView<float> out) {
  const ProfiledPart part(compute, "mlp");
  gate_.Resize(x.rows(), weights.gate.rows());
  up_.Resize(x.rows(), weights.up.rows());
  const MatMulTask wide[] = {{x, &weights.gate, gate_.view()}, {x, &weights.up, up_.view()}};
  MatMul(compute, wide);
  SiluMul(compute, gate_.view(), up_.view(), gate_.view());
  RoundActivations(compute, gate_.view());
  const MatMulTask narrow{gate_.view(), &weights.down, out};
  MatMul(compute, {&narrow, 1});
}

}  // namespace fathom
