#ifndef FATHOM_SCHED_POLICY_H_
#define FATHOM_SCHED_POLICY_H_

#include <cstdint>

#include "sched/decision.h"
#include "sched/mindie_policy.h"
#include "sched/scheduler_config.h"
#include "sched/stage_limits.h"
#include "sched/step_time.h"

namespace fathom {

// What a policy looks at before a step.
struct Load {
  double now_s = 0;
  int64_t waiting = 0;          // requests that would have to compute a prompt to run
  double oldest_arrival_s = 0;  // of them; 0 when there are none
  int64_t decoding = 0;         // running sequences with at most one token to compute
  int64_t prompts = 0;          // running sequences with more
  int64_t swapped = 0;          // sequences that can decode once their blocks are back
  int64_t free_blocks = 0;      // free or cached
  int64_t blocks = 0;           // all
  // Of those that lost their blocks all are swapped out, and they come back before anybody new: a
  // prefill admits nobody.
  bool all_behind_swapped = false;
  double next_arrival_s = 0;   // of the one that a prefill would admit first
  int64_t waiting_tokens = 0;  // of as many of those that wait as may run: not known to be cached
};

// Chooses what the next step computes, and says why in `decision` (its rule and numbers).
// kMixed with everything chunked; kPrefill or kDecode with the others.
Stage ChooseChunked(const Load& load, Decision& decision);
Stage ChooseFcfs(const Load& load, Decision& decision);

// MindIE's, "decision for decision"; two rules are added that it needs not: a prompt longer than a
// step goes on, and whoever lost its blocks comes back before anybody new enters.
Stage ChooseMindie(const MindiePolicy& policy, const Load& load, const StepPredictor& predict,
                   MindieState& state, Decision& decision);
// When the oldest of those that wait has waited long enough.
double QueueDelayEnds(const MindiePolicy& policy, const Load& load);
// After a step: the dynamic batch size moves towards the largest at which tokens have come in time,
// never below `decoding`, the sequences that run or are swapped out: it keeps others from entering
// and stops nobody.
void AdjustDecodeBatch(const MindiePolicy& policy, const RecentDecoding& recent, int64_t decoding,
                       MindieState& state);

StageLimits ChunkedLimits(const SchedulerConfig& config);
StageLimits FcfsLimits(const SchedulerConfig& config, Stage stage);
// `decoding` as for AdjustDecodeBatch.
StageLimits MindieLimits(const SchedulerConfig& config, Stage stage, int64_t decoding,
                         const MindieState& state);

}  // namespace fathom

#endif  // FATHOM_SCHED_POLICY_H_
