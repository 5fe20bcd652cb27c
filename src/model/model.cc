#include "model/model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/decoder.h"
#include "model/kv_cache.h"
#include "model/loader.h"
#include "model/model_weights.h"
#include "model/step.h"
#include "ops/compute.h"
#include "ops/int8_rows.h"
#include "spec/model_config.h"
#include "weights/checkpoint.h"

namespace fathom {
namespace {

bool InRange(std::span<const int32_t> values, int64_t low, int64_t end) {
  for (const int32_t value : values) {
    if (value < low || value >= end) return false;
  }
  return true;
}

bool Ascending(std::span<const int32_t> rows) {
  return std::ranges::adjacent_find(rows, std::greater_equal()) == rows.end();
}

// Each sequence stands together, in order of position, without holes.
bool SequencesAreRuns(const ForwardBatch& batch) {
  for (size_t i = 1; i < batch.tokens.size(); ++i) {
    const bool same = batch.sequences[i] == batch.sequences[i - 1];
    if (same && batch.positions[i] != batch.positions[i - 1] + 1) return false;
  }
  return true;
}

void CheckBatch(const ModelConfig& config, bool has_mtp, const ForwardBatch& batch) {
  const size_t n = batch.tokens.size();
  FATHOM_CHECK(n > 0 && batch.positions.size() == n && batch.sequences.size() == n);
  FATHOM_CHECK(InRange(batch.tokens, 0, config.vocab));
  FATHOM_CHECK(InRange(batch.positions, 0, INT32_MAX));
  FATHOM_CHECK(InRange(batch.sequences, 0, static_cast<int64_t>(batch.block_tables.size())));
  FATHOM_CHECK(InRange(batch.logit_rows, 0, static_cast<int64_t>(n)));
  FATHOM_CHECK(Ascending(batch.logit_rows));
  FATHOM_CHECK(SequencesAreRuns(batch));
  if (batch.mtp_next.empty()) return;
  FATHOM_CHECK(has_mtp && batch.mtp_next.size() == n);
  FATHOM_CHECK(InRange(batch.mtp_next, -1, config.vocab));
}

}  // namespace

struct Model::State {
  State(const ModelConfig& model_config, ModelWeights model_weights)
      : config(model_config), weights(std::move(model_weights)), decoder(config) {}

  const ModelConfig config;
  const ModelWeights weights;
  Decoder decoder;
  Int8Rows int8_rows;
};

Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
Model::~Model() = default;

Result<std::unique_ptr<Model>> Model::Load(const Checkpoint& checkpoint,
                                           const ModelOptions& options, const Compute& compute,
                                           Progress& progress) {
  FATHOM_TRY(ModelWeights weights,
             LoadWeights(checkpoint, options.weights, options.mtp, compute, progress));
  auto state = std::make_unique<State>(checkpoint.config(), std::move(weights));
  return std::unique_ptr<Model>(new Model(std::move(state)));
}

const ModelConfig& Model::config() const { return state_->config; }
bool Model::has_mtp() const { return state_->weights.mtp.has_value(); }

ForwardResult Model::Forward(const Compute& machine, const ForwardBatch& batch, KvCache& cache,
                             ForwardTrace* trace) {
  CheckBatch(state_->config, has_mtp(), batch);
  Compute compute = machine;
  compute.int8_rows = &state_->int8_rows;
  const StepRotations& rotations = state_->decoder.Rotations(batch.positions);
  const Step step{.compute = compute,
                  .cache = cache,
                  .positions = batch.positions,
                  .sequences = batch.sequences,
                  .block_tables = batch.block_tables,
                  .cos = rotations.cos(),
                  .sin = rotations.sin(),
                  .trace = trace};
  return state_->decoder.Forward(step, state_->weights, batch);
}

}  // namespace fathom
