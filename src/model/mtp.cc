#include "model/mtp.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "model/decoder_layer.h"
#include "model/model.h"
#include "model/model_weights.h"
#include "model/step.h"
#include "ops/compute.h"
#include "ops/elementwise.h"
#include "ops/mat_mul.h"
#include "ops/profile.h"
#include "ops/rms_norm.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

MtpLayer::MtpLayer(const ModelConfig& config)
    : norm_eps_(config.rms_norm_eps), cache_layer_(config.layers), rotations_(config.rope) {}

MatView<const float> MtpLayer::Forward(const Step& main, const MtpWeights& weights,
                                       const ForwardBatch& batch, MatView<const float> state,
                                       DecoderLayer& layer) {
  SelectRows(batch);
  JoinInputs(main.compute, weights, batch, state);
  h_.Resize(joined_.rows(), state.cols());
  const MatMulTask project{joined_.view(), &weights.projection, h_.view()};
  MatMul(main.compute, {&project, 1});

  rotations_.Fill(positions_);
  const Step step{.compute = main.compute,
                  .cache = main.cache,
                  .positions = positions_,
                  .sequences = sequences_,
                  .block_tables = main.block_tables,
                  .cos = rotations_.cos(),
                  .sin = rotations_.sin()};
  layer.Forward(step, cache_layer_, weights.layer, h_.view());
  return Logits(main.compute, weights, batch);
}

void MtpLayer::SelectRows(const ForwardBatch& batch) {
  rows_.clear();
  positions_.clear();
  sequences_.clear();
  for (size_t i = 0; i < batch.mtp_next.size(); ++i) {
    if (batch.mtp_next[i] < 0) continue;
    rows_.push_back(static_cast<int64_t>(i));
    positions_.push_back(batch.positions[i]);
    sequences_.push_back(batch.sequences[i]);
  }
}

void MtpLayer::JoinInputs(const Compute& compute, const MtpWeights& weights,
                          const ForwardBatch& batch, MatView<const float> state) {
  const ProfiledPart part(compute, "mtp: inputs");
  const int64_t hidden = state.cols();
  joined_.Resize(static_cast<int64_t>(rows_.size()), 2 * hidden);
  const MatView<float> next = joined_.view().Cols(0, hidden);
  const MatView<float> here = joined_.view().Cols(hidden, hidden);
  for (int64_t r = 0; r < joined_.rows(); ++r) {
    const int64_t row = rows_[static_cast<size_t>(r)];
    weights.embedding.CopyRow(batch.mtp_next[static_cast<size_t>(row)], next[r]);
    std::copy(state[row].begin(), state[row].end(), here[r].begin());
  }
  RmsNorm(compute, next, weights.embedding_norm, norm_eps_, next);
  RmsNorm(compute, here, weights.hidden_norm, norm_eps_, here);
  RoundActivations(compute, joined_.view());
}

MatView<const float> MtpLayer::Logits(const Compute& compute, const MtpWeights& weights,
                                      const ForwardBatch& batch) {
  const ProfiledPart part(compute, "mtp: head");
  const auto wants_logits = [&](int64_t row) {
    return std::binary_search(batch.logit_rows.begin(), batch.logit_rows.end(), row);
  };
  wanted_.Resize(std::count_if(rows_.begin(), rows_.end(), wants_logits), h_.cols());
  int64_t out = 0;
  for (int64_t r = 0; r < h_.rows(); ++r) {
    if (!wants_logits(rows_[static_cast<size_t>(r)])) continue;
    std::copy(h_[r].begin(), h_[r].end(), wanted_[out++].begin());
  }
  RmsNorm(compute, wanted_.view(), weights.head_norm, norm_eps_, wanted_.view());
  RoundActivations(compute, wanted_.view());
  logits_.Resize(wanted_.rows(), weights.head.rows());
  const MatMulTask head{wanted_.view(), &weights.head, logits_.view()};
  MatMul(compute, {&head, 1});
  return logits_.view();
}

}  // namespace fathom
