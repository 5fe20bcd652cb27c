#ifndef FATHOM_MODEL_MLA_H_
#define FATHOM_MODEL_MLA_H_

#include <cstdint>
#include <vector>

#include "model/model_weights.h"
#include "model/step.h"
#include "ops/attention.h"
#include "ops/mat_mul.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

// Latent queries and sums take heads * 1088 floats a token (R1: 557 KB): a long step goes through
// them in slices. A token's result does not depend on its slice.
inline constexpr int64_t kMlaSliceTokens = 128;

// Multi-head latent attention (DeepSeek-V2, section 2.1), always absorbed: scores and sums are
// taken over the cached latents themselves, keys and values are never expanded
// (docs/decisions/0001-absorbed-attention.md).
//
//   q        = W_q_b norm(W_q_a x)                           a head: [q_nope | q_pe]
//   c, k_pe  = W_kv_a x                                      cached: [norm(c) | rope(k_pe)]
//   score    = scale * [W_uk^T q_nope | rope(q_pe)] . cached row
//   out      = W_o [W_uv sum_t softmax(score)_t c_t]         a head in the brackets
//
// Owns its buffers, which are as large as the largest step so far.
class MlaAttention {
 public:
  explicit MlaAttention(const ModelConfig& config);

  // x: normed inputs [n, hidden]; out: [n, hidden], before the residual sum. Writes the tokens'
  // rows of `layer` into the cache first.
  void Forward(const Step& step, int64_t layer, const MlaWeights& weights, MatView<const float> x,
               MatView<float> out);

 private:
  void Project(const Step& step, const MlaWeights& weights, MatView<const float> x);
  void CacheRows(const Step& step, int64_t layer, const MlaWeights& weights);
  void AbsorbQueries(const Step& step, const MlaWeights& weights, int64_t first, int64_t count);
  void Attend(const Step& step, int64_t layer, int64_t first, int64_t count);
  void ExpandValues(const Step& step, const MlaWeights& weights, MatView<float> values);

  int64_t QueryDim() const { return mla_.qk_nope_head_dim + mla_.qk_rope_head_dim; }
  int64_t KeyDim() const { return mla_.kv_lora_rank + mla_.qk_rope_head_dim; }

  const MlaConfig mla_;
  const int64_t heads_;
  const double norm_eps_;
  const float softmax_scale_;
  const bool interleaved_;

  Matrix<float> q_low_;       // [n, q_lora]
  Matrix<float> q_;           // [n, heads * (nope + rope)]
  Matrix<float> kv_;          // [n, kv_lora + rope]
  Matrix<float> q_latent_;    // [slice, heads * (kv_lora + rope)]
  Matrix<float> out_latent_;  // [slice, heads * kv_lora]
  Matrix<float> values_;      // [n, heads * v_dim]
  std::vector<MatMulTask> products_;
  std::vector<AttentionTask> attention_;
  AttentionBuffers buffers_;
};

}  // namespace fathom

#endif  // FATHOM_MODEL_MLA_H_
