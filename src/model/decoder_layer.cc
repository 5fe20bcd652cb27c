#include "model/decoder_layer.h"

#include <cstdint>
#include <span>

#include "model/model_weights.h"
#include "model/step.h"
#include "ops/elementwise.h"
#include "ops/profile.h"
#include "ops/rms_norm.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

DecoderLayer::DecoderLayer(const ModelConfig& config) : norm_eps_(config.rms_norm_eps) {
  if (config.mla) mla_.emplace(config);
  if (config.gqa) gqa_.emplace(config);
  if (config.moe) moe_.emplace(config);
}

void DecoderLayer::Forward(const Step& step, int64_t layer, const LayerWeights& weights,
                           MatView<float> h) {
  const ProfiledLayer profiled(step.compute, layer);
  branch_.Resize(h.rows(), h.cols());
  if (step.trace != nullptr) step.trace->Hidden(layer, h);

  Normalize(step, weights.attention_norm, h);
  if (weights.mla) mla_->Forward(step, layer, *weights.mla, normed_.view(), branch_.view());
  if (weights.gqa) gqa_->Forward(step, layer, *weights.gqa, normed_.view(), branch_.view());
  if (step.trace != nullptr) step.trace->AttentionOut(layer, branch_.view());
  AddBranch(step, h);

  Normalize(step, weights.ffn_norm, h);
  if (weights.dense) dense_.Forward(step.compute, *weights.dense, normed_.view(), branch_.view());
  if (weights.moe) moe_->Forward(step, layer, *weights.moe, normed_.view(), branch_.view());
  if (step.trace != nullptr) step.trace->FfnOut(layer, branch_.view());
  AddBranch(step, h);
}

void DecoderLayer::AddBranch(const Step& step, MatView<float> h) {
  const ProfiledPart part(step.compute, "residual");
  Add(step.compute, branch_.view(), h);
}

void DecoderLayer::Normalize(const Step& step, std::span<const float> weight,
                             MatView<const float> h) {
  const ProfiledPart part(step.compute, "norm");
  normed_.Resize(h.rows(), h.cols());
  RmsNorm(step.compute, h, weight, norm_eps_, normed_.view());
  RoundActivations(step.compute, normed_.view());
}

}  // namespace fathom
