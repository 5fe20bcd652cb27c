#ifndef FATHOM_SCHED_SCHEDULER_SHADOW_TESTING_H_
#define FATHOM_SCHED_SCHEDULER_SHADOW_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "sched/scheduler.h"

namespace fathom {

// A scheduler under watch: every call goes to the real one and to the plainest possible account of
// who holds what; each promise of scheduler.h is checked (FATHOM_CHECK) after each step.
class SchedulerShadow {
 public:
  explicit SchedulerShadow(const SchedulerConfig& config) : config_(config), scheduler_(config) {}

  // A request that ends once `target` >= `tokens` tokens are known.
  void Add(RequestId id, int64_t tokens, int64_t target, LogitRows rows) {
    scheduler_.Add(id, tokens, rows);
    live_[id] = {.known = tokens, .target = target, .rows = rows};
    CheckTotals();
  }

  void Cancel(size_t index) {
    if (live_.empty()) return;
    auto victim = live_.begin();
    std::advance(victim, index % live_.size());
    Finish(victim->first);
  }

  // Plans a step, checks it, and extends or finishes whoever was to sample.
  void Step() {
    const StepPlan plan = scheduler_.Plan();
    CheckOldestProgresses(plan);
    for (const RequestId id : plan.preempted) ApplyPreemption(id, plan);
    int64_t tokens = 0;
    int64_t logit_rows = 0;
    std::set<RequestId> planned_ids;
    for (const PlannedSequence& planned : plan.sequences) {
      FATHOM_CHECK(planned_ids.insert(planned.id).second);
      ApplyPlanned(planned);
      tokens += planned.count;
      const bool all_rows = live_.at(planned.id).rows == LogitRows::kAll;
      logit_rows += all_rows ? planned.count : (planned.sample ? 1 : 0);
    }
    FATHOM_CHECK(tokens <= config_.max_batched_tokens);
    FATHOM_CHECK(logit_rows <= config_.max_logit_rows);
    CheckTotals();
    for (const PlannedSequence& planned : plan.sequences) {
      if (planned.sample) Sampled(planned.id);
    }
    CheckTotals();
  }

  // Steps until nothing is left. The oldest does a token a step, so the sum of all targets bounds
  // the number of steps.
  void Drain() {
    int64_t most_steps = 0;
    for (const auto& [id, sequence] : live_) most_steps += sequence.target;
    while (!live_.empty()) {
      FATHOM_CHECK(most_steps-- > 0);
      Step();
    }
    FATHOM_CHECK(scheduler_.Plan().empty());
    FATHOM_CHECK(scheduler_.free_blocks() == config_.blocks);
  }

  const Scheduler& scheduler() const { return scheduler_; }
  int64_t preemptions() const { return preemptions_; }

 private:
  struct Sequence {
    int64_t known = 0;
    int64_t target = 0;
    LogitRows rows = LogitRows::kLast;
    int64_t computed = 0;
    bool running = false;
    bool was_preempted = false;
    std::vector<int32_t> blocks = {};
  };

  void ApplyPreemption(RequestId id, const StepPlan& plan) {
    Sequence& sequence = live_.at(id);
    FATHOM_CHECK(sequence.running);
    for (const auto& [other_id, other] : live_) FATHOM_CHECK(other_id <= id || !other.running);
    for (const PlannedSequence& planned : plan.sequences) FATHOM_CHECK(planned.id != id);
    for (const int32_t block : sequence.blocks) FATHOM_CHECK(held_.erase(block) == 1);
    sequence.blocks.clear();
    sequence.computed = 0;
    sequence.running = false;
    sequence.was_preempted = true;
    ++preemptions_;
  }

  void ApplyPlanned(const PlannedSequence& planned) {
    Sequence& sequence = live_.at(planned.id);
    FATHOM_CHECK(planned.first_token == sequence.computed);
    FATHOM_CHECK(planned.count >= 1);
    FATHOM_CHECK(planned.restart == (!sequence.running && sequence.was_preempted));
    sequence.running = true;
    sequence.computed += planned.count;
    FATHOM_CHECK(sequence.computed <= sequence.known);
    FATHOM_CHECK(planned.sample == (sequence.computed == sequence.known));
    for (const int32_t block : planned.new_blocks) {
      FATHOM_CHECK(block >= 0 && block < config_.blocks);
      FATHOM_CHECK(held_.insert(block).second);
      sequence.blocks.push_back(block);
    }
    const int64_t needed = (sequence.computed + config_.block_tokens - 1) / config_.block_tokens;
    FATHOM_CHECK(static_cast<int64_t>(sequence.blocks.size()) == needed);
  }

  void Sampled(RequestId id) {
    Sequence& sequence = live_.at(id);
    if (sequence.known == sequence.target) {
      Finish(id);
      return;
    }
    ++sequence.known;
    scheduler_.Extend(id);
  }

  void Finish(RequestId id) {
    for (const int32_t block : live_.at(id).blocks) FATHOM_CHECK(held_.erase(block) == 1);
    live_.erase(id);
    scheduler_.Finish(id);
    CheckTotals();
  }

  // Ids grow with age here, so the oldest is the first.
  void CheckOldestProgresses(const StepPlan& plan) {
    FATHOM_CHECK(plan.empty() == live_.empty());
    if (live_.empty()) return;
    FATHOM_CHECK(plan.sequences.front().id == live_.begin()->first);
  }

  void CheckTotals() {
    int64_t running = 0;
    bool seen_waiting = false;
    for (const auto& [id, sequence] : live_) {
      running += sequence.running ? 1 : 0;
      seen_waiting = seen_waiting || !sequence.running;
      FATHOM_CHECK(!(seen_waiting && sequence.running));
    }
    FATHOM_CHECK(running <= config_.max_sequences);
    FATHOM_CHECK(scheduler_.running() == running);
    FATHOM_CHECK(scheduler_.waiting() == static_cast<int64_t>(live_.size()) - running);
    FATHOM_CHECK(scheduler_.free_blocks() + static_cast<int64_t>(held_.size()) == config_.blocks);
  }

  SchedulerConfig config_;
  Scheduler scheduler_;
  std::map<RequestId, Sequence> live_;
  std::set<int32_t> held_;
  int64_t preemptions_ = 0;
};

// Plays a script of foreign bytes against the scheduler: five bytes of limits, then one operation a
// byte or three, then everything runs to its end. Returns the number of preemptions met.
inline int64_t PlaySchedulerScript(std::span<const uint8_t> script) {
  size_t at = 0;
  const auto next = [&](int64_t low, int64_t high) {
    const int64_t byte = at < script.size() ? script[at++] : 0;
    return low + byte % (high - low + 1);
  };
  SchedulerConfig config;
  config.blocks = next(1, 24);
  config.block_tokens = next(1, 6);
  config.max_batched_tokens = next(1, 24);
  config.max_sequences = next(1, 8);
  config.max_logit_rows = config.max_sequences + next(0, 8);
  const int64_t most_tokens = config.blocks * config.block_tokens;
  SchedulerShadow shadow(config);
  RequestId id = 0;
  while (at < script.size() && id < 200) {
    const int64_t operation = next(0, 7);
    if (operation <= 2) {
      const int64_t target = next(1, most_tokens);
      const LogitRows rows = operation == 2 ? LogitRows::kAll : LogitRows::kLast;
      shadow.Add(id++, next(1, target), target, rows);
    } else if (operation == 3) {
      shadow.Cancel(static_cast<size_t>(next(0, 255)));
    } else {
      shadow.Step();
    }
  }
  shadow.Drain();
  return shadow.preemptions();
}

}  // namespace fathom

#endif  // FATHOM_SCHED_SCHEDULER_SHADOW_TESTING_H_
