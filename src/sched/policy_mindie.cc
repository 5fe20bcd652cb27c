// The policy of MindIE for an instance that computes prompts and decodes. The rules and their order
// are those of its open source as read at the commit of 2026-04-23; explain.cc names the paragraph
// of each.

#include <algorithm>
#include <cstdint>
#include <utility>

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
// The dynamic batch: so many until so many tokens were observed and never fewer, changed by at most
// so many at a time, for tokens within so many seconds of what is expected.
constexpr int64_t kLeastDecodeBatch = 3;
constexpr int64_t kLeastObservedTokens = RecentDecoding::kWindow / 10;
constexpr int64_t kDecodeBatchStep = 2;
constexpr double kDecodeTolerance = 0.005;
// How far from each other and from the observed batch the ends of the search are.
constexpr int64_t kSearchAbove = 3;
constexpr int64_t kSearchBelow = 2;

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
  const int64_t idle = std::max<int64_t>(policy.max_batch_size - load.decoding, 0);
  state.decode_waste_ms += static_cast<double>(policy.decode_ms_per_req * idle);
  decision.Compare("prefillCostMs", cost);
  decision.Compare("decodeWasteMs", state.decode_waste_ms);
  decision.Compare("decoding", static_cast<double>(load.decoding));
  decision.Compare("maxBatchSize", static_cast<double>(policy.max_batch_size));
  if (cost > state.decode_waste_ms) {
    return By(Rule::kThroughputDecode, Stage::kDecode, decision);
  }
  state.decode_waste_ms = 0;
  return By(Rule::kThroughputPrefill, Stage::kPrefill, decision);
}

int64_t MostEntering(const MindiePolicy& policy, int64_t decoding, const MindieState& state) {
  if (!policy.dynamic_batch_size || state.decode_batch == 0) return policy.max_prefill_batch_size;
  return std::clamp<int64_t>(state.decode_batch - decoding, 0, policy.max_prefill_batch_size);
}

double Laxity(double expected_s, double waited_s, double predicted_s) {
  return (expected_s - waited_s - predicted_s) / expected_s;
}

Stage ByLaxity(const MindiePolicy& policy, const Load& load, const StepPredictor& predict,
               const MindieState& state, Decision& decision) {
  decision.Compare("waiting", static_cast<double>(load.waiting));
  decision.Compare("decoding", static_cast<double>(load.decoding));
  if (load.decoding == 0) return By(Rule::kLaxityOnlyPrefill, Stage::kPrefill, decision);
  if (load.waiting == 0) return By(Rule::kLaxityOnlyDecode, Stage::kDecode, decision);
  const int64_t decoding = load.decoding + load.swapped;
  if (MostEntering(policy, decoding, state) == 0) {
    decision.Compare("dynamicBatchSize", static_cast<double>(state.decode_batch));
    return By(Rule::kLaxityBatchFull, Stage::kDecode, decision);
  }
  const double prefill = Laxity(policy.prefill_expected_s, load.now_s - load.next_arrival_s,
                                predict({.prefill_tokens = load.waiting_tokens, .decoding = 0}));
  const double decode =
      Laxity(policy.decode_expected_s, 0, predict({.prefill_tokens = 0, .decoding = decoding}));
  decision.Compare("prefillLaxity", prefill);
  decision.Compare("decodeLaxity", decode);
  if (prefill < decode) return By(Rule::kLaxityPrefill, Stage::kPrefill, decision);
  return By(Rule::kLaxityDecode, Stage::kDecode, decision);
}

// Moves the ends between which the dynamic batch is searched.
void MoveSearch(const MindiePolicy& policy, const RecentDecoding& recent, int64_t least,
                MindieState& state) {
  int64_t& low = state.decode_batch_low;
  int64_t& high = state.decode_batch_high;
  const double late_s = recent.SecondsPerToken() - policy.decode_expected_s;
  if (late_s > kDecodeTolerance) {
    high = std::max(recent.Batch(), low + kSearchAbove);
    low -= kDecodeBatchStep;
  } else if (late_s < -kDecodeTolerance) {
    low = std::min(recent.Batch(), high - kSearchAbove);
    high += kDecodeBatchStep;
  } else {
    high = recent.Batch() + kSearchAbove;
    low = recent.Batch() - kSearchBelow;
  }
  low = std::clamp(low, least, policy.max_batch_size);
  high = std::clamp(high, least, policy.max_batch_size);
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
  if (policy.stage_select_policy == 0) return PrefillFirst(policy, load, decision);
  if (load.all_behind_swapped) {
    decision.Compare("swapped", static_cast<double>(load.swapped));
    return By(Rule::kSwappedOut, Stage::kDecode, decision);
  }
  if (policy.stage_select_policy == 1) return ByThroughput(policy, load, state, decision);
  return ByLaxity(policy, load, predict, state, decision);
}

StageLimits MindieLimits(const SchedulerConfig& config, Stage stage, int64_t decoding,
                         const MindieState& state) {
  const bool prefill = stage == Stage::kPrefill;
  StageLimits limits;
  limits.decodes = !prefill;
  limits.prefills = prefill;
  limits.tokens = std::min(config.max_batched_tokens, config.mindie.TokenBudget());
  limits.entering = MostEntering(config.mindie, decoding, state);
  limits.whole_prompts = true;
  return limits;
}

void AdjustDecodeBatch(const MindiePolicy& policy, const RecentDecoding& recent, int64_t decoding,
                       MindieState& state) {
  const int64_t least = std::min(kLeastDecodeBatch, policy.max_batch_size);
  if (state.decode_batch == 0 || recent.tokens() < kLeastObservedTokens) {
    state.decode_batch = std::max(least, decoding);
    state.decode_batch_low = state.decode_batch_high = recent.Batch();
    return;
  }
  const bool search = std::exchange(state.search_next, !state.search_next);
  if (search) {
    MoveSearch(policy, recent, least, state);
    const int64_t middle =
        std::clamp((state.decode_batch_low + state.decode_batch_high) / 2,
                   state.decode_batch - kDecodeBatchStep, state.decode_batch + kDecodeBatchStep);
    state.decode_batch = std::max(decoding, std::min(middle, policy.max_batch_size));
  } else if (decoding > 0 &&
             recent.SecondsPerToken() > policy.decode_expected_s + kDecodeTolerance) {
    state.decode_batch = decoding;
  }
}

}  // namespace fathom
