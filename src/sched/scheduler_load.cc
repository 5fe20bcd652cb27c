// What a policy looks at before a step.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "sched/policy.h"
#include "sched/ranked_list.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"

namespace fathom {
namespace {

constexpr int32_t kNone = RankedList::kNone;

}  // namespace

Load Scheduler::Measure(double now_s) const {
  Load load;
  load.now_s = now_s;
  load.waiting = waiting() - swapped_;
  double oldest = std::numeric_limits<double>::infinity();
  if (queue_.size() > 0) oldest = queue_.OldestArrival();
  for (int32_t slot = returning_.first(); slot != kNone; slot = returning_.next(slot)) {
    if (!At(slot).swapped()) oldest = std::min(oldest, At(slot).arrival_s);
  }
  load.oldest_arrival_s = load.waiting > 0 ? oldest : 0;
  load.decoding = running() - prompts_;
  load.prompts = prompts_;
  load.swapped = swapped_;
  load.free_blocks = cache_.pool().available();
  load.blocks = config_.blocks;
  MeasureWaiting(load);
  return load;
}

void Scheduler::MeasureWaiting(Load& load) const {
  const int32_t next = NextToEnter({.decodes = false});
  if (next == kNone) return;
  load.all_behind_swapped = At(next).swapped();
  load.next_arrival_s = At(next).arrival_s;
  if (CountsWaitingTokens()) load.waiting_tokens = WaitingTokens(config_.mindie.max_batch_size);
}

bool Scheduler::CountsWaitingTokens() const {
  return config_.policy == Policy::kMindie && config_.mindie.stage_select_policy == 2;
}

int64_t Scheduler::WaitingTokens(int64_t most_requests) const {
  int64_t tokens = 0;
  const auto count = [&](int32_t slot) { tokens += At(slot).known() - At(slot).found; };
  for (int32_t slot = returning_.first(); slot != kNone; slot = returning_.next(slot)) {
    if (At(slot).swapped() || most_requests == 0) continue;
    count(slot);
    --most_requests;
  }
  queue_.VisitWaiting(most_requests, count);
  return tokens;
}

}  // namespace fathom
