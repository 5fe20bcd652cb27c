#include "model/step_bytes.h"

#include <algorithm>
#include <cstdint>

#include "model/mla.h"
#include "ops/attention.h"
#include "ops/int8_rows.h"
#include "ops/mat_mul.h"
#include "ops/router.h"
#include "spec/model_config.h"

namespace fathom {
namespace {

// Elements of four bytes, float32 or int32, where nothing else is said.
constexpr int64_t kElementBytes = 4;
// A task and where its tiles end.
constexpr int64_t kAttentionTaskBytes = sizeof(AttentionTask) + sizeof(AttentionBundle);

int64_t MlaBytes(const ModelConfig& config, const MlaConfig& mla, const StepLimits& limits) {
  const int64_t key_dim = mla.kv_lora_rank + mla.qk_rope_head_dim;
  const int64_t query_dim = mla.qk_nope_head_dim + mla.qk_rope_head_dim;
  const int64_t slice = std::min(limits.tokens, kMlaSliceTokens);
  const int64_t of_tokens =
      mla.q_lora_rank.value_or(0) + key_dim + config.heads * (query_dim + mla.v_head_dim);
  const int64_t of_slice = config.heads * (key_dim + mla.kv_lora_rank);
  return (limits.tokens * of_tokens + slice * of_slice) * kElementBytes +
         slice * kAttentionTaskBytes + config.heads * static_cast<int64_t>(sizeof(MatMulTask)) +
         AttentionBufferBytes(limits.threads, key_dim, mla.kv_lora_rank);
}

int64_t GqaBytes(const ModelConfig& config, const GqaConfig& gqa, const StepLimits& limits) {
  const int64_t of_token = 2 * (config.heads + gqa.kv_heads) * gqa.head_dim * kElementBytes +
                           gqa.kv_heads * kAttentionTaskBytes;
  return limits.tokens * of_token +
         AttentionBufferBytes(limits.threads, gqa.head_dim, gqa.head_dim);
}

// Five lists of experts, one set a thread.
int64_t RouterBytes(const MoeConfig& moe, int64_t threads) {
  return threads *
         (5 * moe.routed_experts * kElementBytes + static_cast<int64_t>(sizeof(RouterBuffers)));
}

int64_t MoeBytes(const ModelConfig& config, const MoeConfig& moe, const StepLimits& limits) {
  const int64_t k = moe.experts_per_token;
  const int64_t chosen = 2 * k * kElementBytes + k * static_cast<int64_t>(sizeof(int64_t));
  const int64_t rows = k * (config.hidden + 2 * moe.intermediate);
  const int64_t shared = 2 * moe.shared_experts * moe.intermediate;
  const int64_t products = 2 * (moe.routed_experts + 1) * static_cast<int64_t>(sizeof(MatMulTask));
  return limits.tokens * ((moe.routed_experts + rows + shared) * kElementBytes + chosen) +
         products + RouterBytes(moe, limits.threads);
}

int64_t LayerBytes(const ModelConfig& config, const StepLimits& limits) {
  const int64_t n = limits.tokens;
  int64_t bytes = n * 2 * (config.hidden + config.dense_intermediate) * kElementBytes;
  if (config.mla) bytes += MlaBytes(config, *config.mla, limits);
  if (config.gqa) bytes += GqaBytes(config, *config.gqa, limits);
  if (config.moe) bytes += MoeBytes(config, *config.moe, limits);
  return bytes;
}

// Residual stream, rotations and logits.
int64_t EndsBytes(const ModelConfig& config, const StepLimits& limits) {
  return (limits.tokens * (config.hidden + config.rope.dim) +
          limits.logit_rows * (config.hidden + config.vocab)) *
         kElementBytes;
}

// The codes of the widest input of a product: the rows of all experts with those of the shared one,
// or those of a single projection.
int64_t Int8Bytes(const ModelConfig& config, const StepLimits& limits) {
  int64_t widest = std::max(config.hidden, config.dense_intermediate);
  if (config.mla) widest = std::max(widest, config.heads * config.mla->v_head_dim);
  if (config.gqa) widest = std::max(widest, config.heads * config.gqa->head_dim);
  if (limits.mtp) widest = std::max(widest, 2 * config.hidden);
  int64_t bytes = Int8Rows::Bytes(limits.tokens, widest);
  if (config.moe) {
    const MoeConfig& moe = *config.moe;
    const int64_t shared = std::max<int64_t>(1, moe.shared_experts);
    const int64_t cols = std::max(config.hidden, moe.intermediate);
    bytes = std::max(bytes, Int8Rows::Bytes(limits.tokens * moe.experts_per_token, cols) +
                                Int8Rows::Bytes(limits.tokens, shared * cols));
  }
  const int64_t tasks = 2 * ((config.moe ? config.moe->routed_experts : 0) + 1);
  return bytes + Int8Rows::TaskBytes(tasks);
}

}  // namespace

int64_t StepBytes(const ModelConfig& config, const StepLimits& limits) {
  const int64_t main = LayerBytes(config, limits) + EndsBytes(config, limits) +
                       (limits.int8 ? Int8Bytes(config, limits) : 0);
  if (!limits.mtp) return main;
  const int64_t joined = limits.tokens * 2 * config.hidden * kElementBytes;
  return main + EndsBytes(config, limits) + joined;
}

}  // namespace fathom
