#ifndef FATHOM_SCHED_SCHEDULER_SHADOW_TESTING_H_
#define FATHOM_SCHED_SCHEDULER_SHADOW_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"
#include "sched/step_plan.h"

namespace fathom {

// A scheduler under watch: every call goes to the real one and to the plainest possible account of
// who holds what; each promise of scheduler.h is checked (FATHOM_CHECK) after each step. The
// account has a cache that remembers tokens, so that a block shared with, copied from or taken over
// by the wrong sequence shows as a wrong token.
class SchedulerShadow {
 public:
  explicit SchedulerShadow(const SchedulerConfig& config);

  struct Request {
    int64_t prompt = 1;  // tokens
    int64_t target = 1;  // the request ends once it has so many, and those computed
    // Sequences of one family have equal tokens up to `differs_from`, answers included.
    uint64_t family = 0;
    int64_t differs_from = 0;
    LogitRows rows = LogitRows::kLast;
    int32_t priority = 0;
    uint64_t client = 0;
    std::optional<double> patience_s = std::nullopt;
  };
  RequestId Add(const Request& request);
  bool IsOpen(RequestId id) const { return live_.contains(id); }
  // Ends one of the open requests, as a client that goes away does.
  void Cancel(size_t index, Scheduler::Contents contents);
  void Pass(double seconds) { now_s_ += seconds; }

  // Plans a step, checks it, and extends or finishes whoever was to sample.
  void Step();
  // Steps until nothing is left.
  void Drain();

  const Scheduler& scheduler() const { return scheduler_; }
  int64_t steps_that_waited() const { return steps_that_waited_; }

 private:
  enum class Place { kNew, kReturning, kRunning };
  struct Sequence {
    Request request;
    std::vector<int32_t> tokens;
    double rank = 0;
    double arrival_s = 0;
    int64_t computed = 0;
    Place place = Place::kNew;
    bool swapped = false;
    std::vector<int32_t> blocks;
    int64_t left() const { return static_cast<int64_t>(tokens.size()) - computed; }
  };

  int32_t TokenOf(RequestId id, int64_t position) const;
  int32_t& Cached(const Sequence& sequence, int64_t position);
  int64_t Holders(int32_t block) const;
  bool RanksBefore(RequestId a, RequestId b) const;
  void ApplyExpired(const StepPlan& plan);
  void ApplyPreemption(const Preemption& preemption, const StepPlan& plan);
  void ApplyCopies(const StepPlan& plan);
  void ApplyPlanned(const StepPlan& plan, const PlannedSequence& planned);
  void CheckNobodyIsOvertaken(const StepPlan& plan) const;
  bool Decodes(const PlannedSequence& planned) const;
  void CheckStage(const StepPlan& plan) const;
  void CheckLimits(const StepPlan& plan) const;
  void CheckProgress(const StepPlan& plan) const;
  void CheckTotals() const;
  void Sampled(RequestId id);
  void Finish(RequestId id, Scheduler::Contents contents);

  SchedulerConfig config_;
  Scheduler scheduler_;
  double now_s_ = 5;
  RequestId next_id_ = 0;
  std::map<RequestId, Sequence> live_;
  std::vector<int32_t> cache_;  // [blocks * block_tokens]
  std::vector<int32_t> swap_;   // [swap_blocks * block_tokens]
  int64_t steps_that_waited_ = 0;
};

// What a script reached.
struct ScriptCounts {
  SchedulerTotals totals;
  int64_t steps_that_waited = 0;
};

// Plays a script of foreign bytes against the scheduler: some bytes of limits, then one operation a
// byte or more, then everything runs to its end.
ScriptCounts PlaySchedulerScript(std::span<const uint8_t> script);

}  // namespace fathom

#endif  // FATHOM_SCHED_SCHEDULER_SHADOW_TESTING_H_
