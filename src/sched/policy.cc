#include "sched/policy.h"

#include "sched/decision.h"
#include "sched/scheduler_config.h"
#include "sched/stage_limits.h"

namespace fathom {

Stage ChooseChunked(const Load& load, Decision& decision) {
  decision.rule = Rule::kTokenBudget;
  decision.Compare("decoding", static_cast<double>(load.decoding));
  decision.Compare("prompts", static_cast<double>(load.prompts));
  decision.Compare("waiting", static_cast<double>(load.waiting));
  decision.Compare("swapped", static_cast<double>(load.swapped));
  return Stage::kMixed;
}

Stage ChooseFcfs(const Load& load, Decision& decision) {
  decision.Compare("waiting", static_cast<double>(load.waiting));
  decision.Compare("decoding", static_cast<double>(load.decoding));
  decision.Compare("swapped", static_cast<double>(load.swapped));
  if (load.prompts > 0) {
    decision.rule = Rule::kPromptGoesOn;
    return Stage::kPrefill;
  }
  if (load.swapped > 0) {
    decision.rule = Rule::kSwappedOut;
    return Stage::kDecode;
  }
  if (load.waiting > 0) {
    decision.rule = Rule::kPrefillFirst;
    return Stage::kPrefill;
  }
  decision.rule = Rule::kNothingToPrefill;
  return Stage::kDecode;
}

StageLimits ChunkedLimits(const SchedulerConfig& config) {
  return {.tokens = config.max_batched_tokens};
}

StageLimits FcfsLimits(const SchedulerConfig& config, Stage stage) {
  const bool prefill = stage == Stage::kPrefill;
  return {.decodes = !prefill,
          .prefills = prefill,
          .tokens = config.max_batched_tokens,
          .whole_prompts = true};
}

}  // namespace fathom
