// The policy of MindIE for an instance that computes prompts and decodes. The rules and their order
// are those of its open source as read at the commit of 2026-04-23; explain.cc names the paragraph
// of each.

#include <algorithm>
#include <cstdint>

#include "sched/decision.h"
#include "sched/mindie_policy.h"
#include "sched/policy.h"
#include "sched/scheduler_config.h"
#include "sched/stage_limits.h"
#include "sched/step_time.h"

namespace fathom {
namespace {

// Below this share of free blocks nobody new begins.
constexpr double kFewFreeBlocks = 0.05;
// A longer delay than this lets a full batch begin before the delay is over.
constexpr double kUsualQueueDelay = 0.005;
// The dynamic batch: never smaller than this, changed by at most so many a step, for a decode step
// within so many seconds of what is expected.
constexpr int64_t kLeastDecodeBatch = 3;
constexpr int64_t kDecodeBatchStep = 2;
constexpr double kDecodeTolerance = 0.005;

Stage By(Rule rule, Stage stage, Decision& decision) {
  decision.rule = rule;
  return stage;
}

bool PrefillAtOnce(const MindiePolicy& policy, const Load& load, Decision& decision) {
  decision.Compare("waiting", static_cast<double>(load.waiting));
  if (load.waiting == 0) return false;
  decision.Compare("oldestWaitMs", (load.now_s - load.oldest_arrival_s) * 1e3);
  decision.Compare("maxQueueDelayMs", policy.max_queue_delay_s * 1e3);
  decision.Compare("maxPrefillBatchSize", static_cast<double>(policy.max_prefill_batch_size));
  if (load.now_s >= QueueDelayEnds(policy, load)) return true;
  return policy.max_queue_delay_s > kUsualQueueDelay &&
         load.waiting >= policy.max_prefill_batch_size;
}

Stage PrefillFirst(const MindiePolicy& policy, const Load& load, Decision& decision) {
  decision.Compare("swapped", static_cast<double>(load.swapped));
  if (load.swapped > 0) return By(Rule::kSwappedOut, Stage::kDecode, decision);
  if (!PrefillAtOnce(policy, load, decision)) {
    return By(Rule::kQueueDelay, Stage::kDecode, decision);
  }
  const auto few = kFewFreeBlocks * static_cast<double>(load.blocks);
  decision.Compare("freeBlocks", static_cast<double>(load.free_blocks));
  decision.Compare("fivePercentOfBlocks", few);
  if (static_cast<double>(load.free_blocks) < few) {
    return By(Rule::kFewFreeBlocks, Stage::kDecode, decision);
  }
  return By(Rule::kPrefillAtOnce, Stage::kPrefill, decision);
}

Stage ByThroughput(const MindiePolicy& policy, const Load& load, MindieState& state,
                   Decision& decision) {
  if (load.waiting == 0) {
    state.decode_waste_ms = 0;
    return By(Rule::kThroughputEmpty, Stage::kDecode, decision);
  }
  const auto cost = static_cast<double>(policy.prefill_ms_per_req * load.decoding);
  decision.Compare("prefillCostMs", cost);
  decision.Compare("decodeWasteMs", state.decode_waste_ms);
  decision.Compare("decoding", static_cast<double>(load.decoding));
  decision.Compare("maxBatchSize", static_cast<double>(policy.max_batch_size));
  if (cost > state.decode_waste_ms) {
    const int64_t idle = std::max<int64_t>(policy.max_batch_size - load.decoding, 0);
    state.decode_waste_ms += static_cast<double>(policy.decode_ms_per_req * idle);
    return By(Rule::kThroughputDecode, Stage::kDecode, decision);
  }
  state.decode_waste_ms = 0;
  return By(Rule::kThroughputPrefill, Stage::kPrefill, decision);
}

double Laxity(double expected_s, double waited_s, double predicted_s) {
  return (expected_s - waited_s - predicted_s) / expected_s;
}

Stage ByLaxity(const MindiePolicy& policy, const Load& load, const StepPredictor& predict,
               Decision& decision) {
  decision.Compare("waiting", static_cast<double>(load.waiting));
  decision.Compare("decoding", static_cast<double>(load.decoding));
  if (load.decoding == 0 && load.swapped == 0) {
    return By(Rule::kLaxityOnlyPrefill, Stage::kPrefill, decision);
  }
  if (load.waiting == 0) return By(Rule::kLaxityOnlyDecode, Stage::kDecode, decision);
  const double prefill =
      Laxity(policy.prefill_expected_s, load.now_s - load.next_arrival_s,
             predict({.prefill_tokens = load.next_prompt_tokens, .decoding = 0}));
  const double decode = Laxity(policy.decode_expected_s, load.now_s - load.last_token_s,
                               predict({.prefill_tokens = 0, .decoding = load.decoding}));
  decision.Compare("prefillLaxity", prefill);
  decision.Compare("decodeLaxity", decode);
  if (prefill < decode) return By(Rule::kLaxityPrefill, Stage::kPrefill, decision);
  return By(Rule::kLaxityDecode, Stage::kDecode, decision);
}

}  // namespace

double QueueDelayEnds(const MindiePolicy& policy, const Load& load) {
  return load.oldest_arrival_s + policy.max_queue_delay_s;
}

Stage ChooseMindie(const MindiePolicy& policy, const Load& load, const StepPredictor& predict,
                   MindieState& state, Decision& decision) {
  if (load.prompts > 0) {
    decision.Compare("prompts", static_cast<double>(load.prompts));
    return By(Rule::kPromptGoesOn, Stage::kPrefill, decision);
  }
  if (policy.stage_select_policy == 1) return ByThroughput(policy, load, state, decision);
  if (policy.stage_select_policy == 2) return ByLaxity(policy, load, predict, decision);
  return PrefillFirst(policy, load, decision);
}

StageLimits MindieLimits(const SchedulerConfig& config, Stage stage, const MindieState& state) {
  const bool prefill = stage == Stage::kPrefill;
  StageLimits limits;
  limits.decodes = !prefill;
  limits.prefills = prefill;
  limits.tokens = std::min(config.max_batched_tokens, config.mindie.TokenBudget());
  limits.entering = config.mindie.max_prefill_batch_size;
  limits.whole_prompts = true;
  if (config.mindie.dynamic_batch_size && state.decode_batch > 0) {
    limits.decoding = state.decode_batch;
  }
  return limits;
}

void AdjustDecodeBatch(const MindiePolicy& policy, const StepPredictor& predict,
                       MindieState& state) {
  int64_t fits = kLeastDecodeBatch;
  int64_t most = std::max(policy.max_batch_size, kLeastDecodeBatch);
  while (fits < most) {
    const int64_t middle = (fits + most + 1) / 2;
    const double seconds = predict({.prefill_tokens = 0, .decoding = middle});
    if (seconds <= policy.decode_expected_s + kDecodeTolerance) {
      fits = middle;
    } else {
      most = middle - 1;
    }
  }
  if (state.decode_batch == 0) state.decode_batch = policy.max_batch_size;
  state.decode_batch = std::clamp(fits, state.decode_batch - kDecodeBatchStep,
                                  state.decode_batch + kDecodeBatchStep);
}

}  // namespace fathom
