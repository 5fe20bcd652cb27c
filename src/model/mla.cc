#include "model/mla.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/model_weights.h"
#include "model/rope_frequencies.h"
#include "model/step.h"
#include "ops/attention.h"
#include "ops/elementwise.h"
#include "ops/mat_mul.h"
#include "ops/profile.h"
#include "ops/rms_norm.h"
#include "ops/rope.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

MlaAttention::MlaAttention(const ModelConfig& config)
    : mla_(*config.mla),
      heads_(config.heads),
      norm_eps_(config.latent_norm_eps),
      softmax_scale_(static_cast<float>(SoftmaxScale(config))),
      interleaved_(config.rope.interleaved) {}

void MlaAttention::Forward(const Step& step, int64_t layer, const MlaWeights& weights,
                           MatView<const float> x, MatView<float> out) {
  Project(step, weights, x);
  CacheRows(step, layer, weights);
  values_.Resize(step.tokens(), heads_ * mla_.v_head_dim);
  for (int64_t first = 0; first < step.tokens(); first += kMlaSliceTokens) {
    const int64_t count = std::min(kMlaSliceTokens, step.tokens() - first);
    AbsorbQueries(step, weights, first, count);
    Attend(step, layer, first, count);
    ExpandValues(step, weights, values_.view().Rows(first, count));
  }
  const ProfiledPart part(step.compute, "attention: output");
  RoundActivations(step.compute, values_.view());
  const MatMulTask project{values_.view(), &weights.o, out};
  MatMul(step.compute, {&project, 1});
}

void MlaAttention::Project(const Step& step, const MlaWeights& weights, MatView<const float> x) {
  const ProfiledPart part(step.compute, "attention: projections");
  q_.Resize(x.rows(), heads_ * QueryDim());
  kv_.Resize(x.rows(), mla_.kv_lora_rank + mla_.qk_rope_head_dim);
  const MatMulTask latent{x, &weights.kv_a, kv_.view()};
  if (mla_.q_lora_rank) {
    q_low_.Resize(x.rows(), *mla_.q_lora_rank);
    const MatMulTask low[] = {{x, &weights.q_a, q_low_.view()}, latent};
    MatMul(step.compute, low);
    RmsNorm(step.compute, q_low_.view(), weights.q_a_norm, norm_eps_, q_low_.view());
    RoundActivations(step.compute, q_low_.view());
    const MatMulTask high{q_low_.view(), &weights.q_b, q_.view()};
    MatMul(step.compute, {&high, 1});
  } else {
    const MatMulTask both[] = {{x, &weights.q_b, q_.view()}, latent};
    MatMul(step.compute, both);
  }
  RoundActivations(step.compute, q_.view());
}

void MlaAttention::CacheRows(const Step& step, int64_t layer, const MlaWeights& weights) {
  const ProfiledPart part(step.compute, "attention: cache");
  const MatView<float> latent = kv_.view().Cols(0, mla_.kv_lora_rank);
  const MatView<float> k_pe = kv_.view().Cols(mla_.kv_lora_rank, mla_.qk_rope_head_dim);
  RmsNorm(step.compute, latent, weights.kv_a_norm, norm_eps_, latent);
  step.compute.pool->ParallelFor(step.tokens(), [&](int64_t token, int) {
    ApplyRope(step.cos[token], step.sin[token], interleaved_, k_pe[token]);
    step.cache.Write(layer, step.BlockTable(token), step.Position(token), 0, kv_[token]);
  });
}

// q_latent_[t] = a head: [W_uk^T q_nope | rope(q_pe)], for the tokens [first, first + count).
void MlaAttention::AbsorbQueries(const Step& step, const MlaWeights& weights, int64_t first,
                                 int64_t count) {
  const ProfiledPart part(step.compute, "attention: absorb");
  const int64_t key_dim = KeyDim();
  const MatView<const float> q = q_.view().Rows(first, count);
  q_latent_.Resize(count, heads_ * key_dim);
  products_.clear();
  for (int64_t head = 0; head < heads_; ++head) {
    products_.push_back({q.Cols(head * QueryDim(), mla_.qk_nope_head_dim),
                         &weights.w_uk[static_cast<size_t>(head)],
                         q_latent_.view().Cols(head * key_dim, mla_.kv_lora_rank)});
  }
  MatMul(step.compute, products_);

  step.compute.pool->ParallelFor(count, [&](int64_t row, int) {
    for (int64_t head = 0; head < heads_; ++head) {
      const std::span<const float> from =
          q.Cols(head * QueryDim() + mla_.qk_nope_head_dim, mla_.qk_rope_head_dim)[row];
      const std::span<float> to =
          q_latent_.view().Cols(head * key_dim + mla_.kv_lora_rank, mla_.qk_rope_head_dim)[row];
      std::copy(from.begin(), from.end(), to.begin());
      ApplyRope(step.cos[first + row], step.sin[first + row], interleaved_, to);
    }
  });
  RoundActivations(step.compute, q_latent_.view());
}

// out_latent_[t] = a head: the latents of the context, weighted by softmax.
void MlaAttention::Attend(const Step& step, int64_t layer, int64_t first, int64_t count) {
  const ProfiledPart part(step.compute, "attention: context");
  out_latent_.Resize(count, heads_ * mla_.kv_lora_rank);
  attention_.clear();
  attention_.reserve(static_cast<size_t>(count));
  for (int64_t row = 0; row < count; ++row) {
    const int64_t token = first + row;
    attention_.push_back({.q = {q_latent_[row].data(), heads_, KeyDim()},
                          .kv = step.cache.Rows(layer, step.BlockTable(token)),
                          .key_offset = 0,
                          .value_offset = 0,
                          .context = step.Position(token) + 1,
                          .out = {out_latent_[row].data(), heads_, mla_.kv_lora_rank}});
  }
  Attention(step.compute, softmax_scale_, attention_, buffers_);
  RoundActivations(step.compute, out_latent_.view());
}

// values: [count, heads * v_dim], of the slice in out_latent_.
void MlaAttention::ExpandValues(const Step& step, const MlaWeights& weights,
                                MatView<float> values) {
  const ProfiledPart part(step.compute, "attention: expand");
  products_.clear();
  for (int64_t head = 0; head < heads_; ++head) {
    products_.push_back({out_latent_.view().Cols(head * mla_.kv_lora_rank, mla_.kv_lora_rank),
                         &weights.w_uv[static_cast<size_t>(head)],
                         values.Cols(head * mla_.v_head_dim, mla_.v_head_dim)});
  }
  MatMul(step.compute, products_);
}

}  // namespace fathom
