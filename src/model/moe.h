#ifndef FATHOM_MODEL_MOE_H_
#define FATHOM_MODEL_MOE_H_

#include <cstdint>
#include <vector>

#include "model/model_weights.h"
#include "model/step.h"
#include "ops/mat_mul.h"
#include "ops/router.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

// Mixture of experts (DeepSeekMoE; DeepSeek-V3, section 2.1.2):
//   out = sum over the chosen experts e, ascending, of weight_e * mlp_e(x)  +  mlp_shared(x)
// Every choice is served: an expert has no capacity. The order of the sum is fixed, so a token's
// result does not depend on who else is in the step.
// Owns its buffers, which are as large as the largest step so far.
class MoeMlp {
 public:
  explicit MoeMlp(const ModelConfig& config);

  // x: normed inputs [n, hidden]; out: [n, hidden], before the residual sum.
  void Forward(const Step& step, int64_t layer, const MoeWeights& weights, MatView<const float> x,
               MatView<float> out);

 private:
  void ChooseExperts(const Step& step, const MoeWeights& weights, MatView<const float> x);
  void SortByExpert();
  void GatherInputs(const Step& step, MatView<const float> x);
  void RunExperts(const Step& step, const MoeWeights& weights, MatView<const float> x,
                  MatView<float> shared_out);
  void Combine(const Step& step, bool shared, MatView<float> out);

  const MoeConfig moe_;
  const RouterRule rule_;

  std::vector<RouterBuffers> router_buffers_;  // [threads]
  Matrix<float> router_logits_;                // [n, experts]
  Matrix<int32_t> chosen_;                     // [n, k], ascending a token
  Matrix<float> chosen_weights_;               // [n, k]
  std::vector<int64_t> begin_;  // [experts + 1]: expert e owns slots [begin_[e], begin_[e + 1])
  Matrix<int64_t> slot_;        // [n, k]: the slot of a token's j-th choice
  Matrix<float> slots_;         // [n * k, hidden]: inputs by expert, later the outputs
  Matrix<float> gate_, up_;     // [n * k, intermediate]
  Matrix<float> shared_gate_, shared_up_;  // [n, shared intermediate]
  std::vector<MatMulTask> products_;
};

}  // namespace fathom

#endif  // FATHOM_MODEL_MOE_H_
