#include "model/decoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/model.h"
#include "model/model_weights.h"
#include "model/step.h"
#include "ops/elementwise.h"
#include "ops/mat_mul.h"
#include "ops/profile.h"
#include "ops/rms_norm.h"
#include "spec/model_config.h"

namespace fathom {

Decoder::Decoder(const ModelConfig& config)
    : norm_eps_(config.rms_norm_eps), rotations_(config.rope), layer_(config), mtp_(config) {}

const StepRotations& Decoder::Rotations(std::span<const int32_t> positions) {
  rotations_.Fill(positions);
  return rotations_;
}

ForwardResult Decoder::Forward(const Step& step, const ModelWeights& weights,
                               const ForwardBatch& batch) {
  Embed(step, weights, batch.tokens);
  int64_t layer = 0;
  for (const LayerWeights& layer_weights : weights.layers) {
    layer_.Forward(step, layer++, layer_weights, h_.view());
  }
  if (step.trace != nullptr) step.trace->Hidden(layer, h_.view());
  Normalize(step, layer, weights.norm);

  ForwardResult result;
  Head(step, weights, batch.logit_rows);
  result.logits = logits_.view();
  if (!batch.mtp_next.empty()) {
    result.mtp_logits = mtp_.Forward(step, *weights.mtp, batch, h_.view(), layer_);
  }
  return result;
}

void Decoder::Embed(const Step& step, const ModelWeights& weights,
                    std::span<const int32_t> tokens) {
  const ProfiledPart part(step.compute, "embedding");
  h_.Resize(static_cast<int64_t>(tokens.size()), weights.embedding.cols());
  step.compute.pool->ParallelFor(h_.rows(), [&](int64_t token, int) {
    weights.embedding.CopyRow(tokens[static_cast<size_t>(token)], h_[token]);
  });
  RoundActivations(step.compute, h_.view());
}

void Decoder::Normalize(const Step& step, int64_t layer, std::span<const float> weight) {
  const ProfiledPart part(step.compute, "norm");
  RmsNorm(step.compute, h_.view(), weight, norm_eps_, h_.view());
  if (step.trace != nullptr) step.trace->Hidden(layer + 1, h_.view());
  RoundActivations(step.compute, h_.view());
}

void Decoder::Head(const Step& step, const ModelWeights& weights, std::span<const int32_t> rows) {
  const ProfiledPart part(step.compute, "head");
  wanted_.Resize(static_cast<int64_t>(rows.size()), h_.cols());
  for (int64_t i = 0; i < wanted_.rows(); ++i) {
    const std::span<const float> from = h_[rows[static_cast<size_t>(i)]];
    std::copy(from.begin(), from.end(), wanted_[i].begin());
  }
  logits_.Resize(wanted_.rows(), weights.Head().rows());
  const MatMulTask head{wanted_.view(), &weights.Head(), logits_.view()};
  MatMul(step.compute, {&head, 1});
}

}  // namespace fathom
