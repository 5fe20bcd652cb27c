// What the engine takes from its cache has the bits it would compute: prefixes that are shared or
// copied, sequences that were swapped out or computed again.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/executor.h"
#include "engine/model_executor.h"
#include "golden_testing.h"
#include "model/model.h"
#include "ops/compute.h"
#include "run_model.h"
#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"
#include "sched/step_plan.h"

namespace fathom {
namespace {

using GoldenCache = GoldenTest;

// Rows of logits by position and token; two sequences may meet in both.
using Rows = std::multimap<std::pair<int32_t, int32_t>, std::vector<float>>;

// Runs the model and keeps all logits.
class RecordingExecutor : public Executor {
 public:
  RecordingExecutor(LoadedModel& loaded, const EngineConfig& config, Rows& rows)
      : executor_(*loaded.model, config, loaded.compute), rows_(rows) {}
  int64_t vocab() const override { return executor_.vocab(); }
  bool has_mtp() const override { return executor_.has_mtp(); }
  void CopyBlocks(std::span<const BlockCopy> copies) override { executor_.CopyBlocks(copies); }
  ForwardResult Run(const ForwardBatch& batch) override {
    const ForwardResult result = executor_.Run(batch);
    for (int64_t row = 0; row < result.logits.rows(); ++row) {
      const auto i = static_cast<size_t>(batch.logit_rows[static_cast<size_t>(row)]);
      rows_.insert({{batch.positions[i], batch.tokens[i]},
                    {result.logits[row].begin(), result.logits[row].end()}});
    }
    return result;
  }

 private:
  ModelExecutor executor_;
  Rows& rows_;
};

struct Outcome {
  Rows rows;
  std::map<RequestId, std::vector<int32_t>> tokens;
  SchedulerTotals totals;
};

constexpr int64_t kAnswer = 24;

// Two conversations of the same beginning, each asked twice, all at once and then again.
Outcome Converse(LoadedModel& loaded, const SchedulerConfig& scheduler) {
  const EngineConfig config{
      .scheduler = scheduler, .kv_dtype = loaded.CacheType(), .max_model_len = 128};
  Outcome outcome;
  const SteadyClock clock;
  Engine engine(std::make_unique<RecordingExecutor>(loaded, config, outcome.rows), config,
                *loaded.pool, clock);
  std::vector<int32_t> prompt = MadeUpPrompt(45, loaded.model->config().vocab);
  for (int round = 0; round < 2; ++round) {
    for (const int64_t length : {45, 45, 38}) {
      GenerationRequest request;
      request.prompt.assign(prompt.begin(), prompt.begin() + length);
      if (length == 38) request.prompt.back() = 7;
      request.max_tokens = kAnswer;
      request.sampling.temperature = 0;
      ValueOrExit(engine.Submit(std::move(request)));
    }
    while (!engine.idle()) {
      for (const EngineEvent& event : engine.Step().events) {
        if (event.token) outcome.tokens[event.id].push_back(*event.token);
      }
    }
  }
  outcome.totals = engine.scheduler().totals();
  return outcome;
}

void ExpectSameBits(const Outcome& found, const Outcome& expected, const char* name) {
  EXPECT_EQ(found.tokens, expected.tokens) << name;
  for (const auto& [key, row] : found.rows) {
    const auto [begin, end] = expected.rows.equal_range(key);
    EXPECT_TRUE(std::any_of(
        begin, end,
        [&wanted = row](const auto& other) { return std::ranges::equal(wanted, other.second); }))
        << name << ", position " << key.first;
  }
}

void ExpectSameBitsFromTheCache(LoadedModel& loaded) {
  const Outcome plain = Converse(loaded, {.blocks = 100, .block_tokens = 8, .prefix_cache = false});
  EXPECT_EQ(plain.totals.cached_tokens, 0);
  const Outcome cached = Converse(loaded, {.blocks = 100, .block_tokens = 8});
  EXPECT_GT(cached.totals.cached_tokens, 37 + 44 + 44 + 37);
  ExpectSameBits(cached, plain, "prefix cache");
  const Outcome recomputed =
      Converse(loaded, {.blocks = 16, .block_tokens = 8, .prefix_cache = false});
  EXPECT_GT(recomputed.totals.recomputed, 0);
  ExpectSameBits(recomputed, plain, "computed again");
  const Outcome swapped =
      Converse(loaded, {.blocks = 16, .block_tokens = 8, .prefix_cache = false, .swap_blocks = 32});
  EXPECT_GT(swapped.totals.swapped_in, 0);
  ExpectSameBits(swapped, plain, "swapped");
  const Outcome both = Converse(
      loaded, {.blocks = 13, .block_tokens = 8, .max_batched_tokens = 16, .swap_blocks = 32});
  EXPECT_GT(both.totals.cached_tokens, 0);
  ExpectSameBits(both, plain, "small cache, in pieces");
}

TEST_P(GoldenCache, SameBitsAsComputedInFloat32) {
  LoadedModel loaded = Load(Activations::kFloat32, /*threads=*/1);
  ExpectSameBitsFromTheCache(loaded);
}

TEST_P(GoldenCache, SameBitsAsComputedInBfloat16) {
  LoadedModel loaded = Load(Activations::kBfloat16, /*threads=*/1);
  ExpectSameBitsFromTheCache(loaded);
}

FATHOM_GOLDEN_SUITE(GoldenCache);

}  // namespace
}  // namespace fathom
