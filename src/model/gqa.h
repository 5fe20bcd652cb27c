#ifndef FATHOM_MODEL_GQA_H_
#define FATHOM_MODEL_GQA_H_

#include <cstdint>
#include <vector>

#include "model/model_weights.h"
#include "model/step.h"
#include "ops/attention.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

// Grouped-query attention (Ainslie et al. 2023) of Qwen2 and Llama: heads / kv_heads query heads
// share one key and value head. The cache keeps a token's rotated keys, then its values.
// Owns its buffers, which are as large as the largest step so far.
class GqaAttention {
 public:
  explicit GqaAttention(const ModelConfig& config);

  // x: normed inputs [n, hidden]; out: [n, hidden], before the residual sum. Writes the tokens'
  // rows of `layer` into the cache first.
  void Forward(const Step& step, int64_t layer, const GqaWeights& weights, MatView<const float> x,
               MatView<float> out);

 private:
  void Project(const Step& step, const GqaWeights& weights, MatView<const float> x);
  void RotateAndCache(const Step& step, int64_t layer);
  void Attend(const Step& step, int64_t layer);

  const GqaConfig gqa_;
  const int64_t heads_;
  const float softmax_scale_;
  const bool interleaved_;

  Matrix<float> q_;       // [n, heads * head_dim]
  Matrix<float> k_;       // [n, kv_heads * head_dim]
  Matrix<float> v_;       // [n, kv_heads * head_dim]
  Matrix<float> values_;  // [n, heads * head_dim]
  std::vector<AttentionTask> attention_;
  AttentionBuffers buffers_;
};

}  // namespace fathom

#endif  // FATHOM_MODEL_GQA_H_
