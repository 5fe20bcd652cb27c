#include "model/gqa.h"

#include <cstddef>
#include <cstdint>

#include "model/model_weights.h"
#include "model/rope_frequencies.h"
#include "model/step.h"
#include "ops/attention.h"
#include "ops/elementwise.h"
#include "ops/mat_mul.h"
#include "ops/profile.h"
#include "ops/rope.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

GqaAttention::GqaAttention(const ModelConfig& config)
    : gqa_(*config.gqa),
      heads_(config.heads),
      softmax_scale_(static_cast<float>(SoftmaxScale(config))),
      interleaved_(config.rope.interleaved) {}

void GqaAttention::Forward(const Step& step, int64_t layer, const GqaWeights& weights,
                           MatView<const float> x, MatView<float> out) {
  Project(step, weights, x);
  RotateAndCache(step, layer);
  Attend(step, layer);
  const ProfiledPart part(step.compute, "attention: output");
  RoundActivations(step.compute, values_.view());
  const MatMulTask project{values_.view(), &weights.o, out};
  MatMul(step.compute, {&project, 1});
}

void GqaAttention::Project(const Step& step, const GqaWeights& weights, MatView<const float> x) {
  const ProfiledPart part(step.compute, "attention: projections");
  q_.Resize(x.rows(), heads_ * gqa_.head_dim);
  k_.Resize(x.rows(), gqa_.kv_heads * gqa_.head_dim);
  v_.Resize(x.rows(), gqa_.kv_heads * gqa_.head_dim);
  const MatMulTask products[] = {
      {x, &weights.q, q_.view()}, {x, &weights.k, k_.view()}, {x, &weights.v, v_.view()}};
  MatMul(step.compute, products);
  if (!gqa_.qkv_bias) return;
  AddBias(step.compute, weights.q_bias, q_.view());
  AddBias(step.compute, weights.k_bias, k_.view());
  AddBias(step.compute, weights.v_bias, v_.view());
}

void GqaAttention::RotateAndCache(const Step& step, int64_t layer) {
  const ProfiledPart part(step.compute, "attention: cache");
  const auto rotate = [&](int64_t token, MatView<float> rows) {
    for (int64_t first = 0; first < rows.cols(); first += gqa_.head_dim) {
      ApplyRope(step.cos[token], step.sin[token], interleaved_,
                rows.Cols(first, gqa_.head_dim)[token]);
    }
  };
  step.compute.pool->ParallelFor(step.tokens(), [&](int64_t token, int) {
    rotate(token, q_.view());
    rotate(token, k_.view());
    const auto blocks = step.BlockTable(token);
    const int64_t position = step.Position(token);
    step.cache.Write(layer, blocks, position, 0, k_[token]);
    step.cache.Write(layer, blocks, position, k_.cols(), v_[token]);
  });
  RoundActivations(step.compute, q_.view());
}

void GqaAttention::Attend(const Step& step, int64_t layer) {
  const ProfiledPart part(step.compute, "attention: context");
  const int64_t group = heads_ / gqa_.kv_heads;
  values_.Resize(step.tokens(), heads_ * gqa_.head_dim);
  attention_.clear();
  attention_.reserve(static_cast<size_t>(step.tokens() * gqa_.kv_heads));
  for (int64_t head = 0; head < gqa_.kv_heads; ++head) {
    const int64_t first = head * group * gqa_.head_dim;
    const int64_t key = head * gqa_.head_dim;
    for (int64_t token = 0; token < step.tokens(); ++token) {
      attention_.push_back({.q = {q_[token].data() + first, group, gqa_.head_dim},
                            .kv = step.cache.Rows(layer, step.BlockTable(token)),
                            .key_offset = key,
                            .value_offset = k_.cols() + key,
                            .context = step.Position(token) + 1,
                            .out = {values_[token].data() + first, group, gqa_.head_dim}});
    }
  }
  Attention(step.compute, softmax_scale_, attention_, buffers_);
}

}  // namespace fathom
