#include "sched/step_plan.h"

#include "sched/decision.h"
#include "sched/step_time.h"

namespace fathom {

void StepPlan::Clear() {
  sequences.clear();
  blocks.clear();
  copies.clear();
  preempted.clear();
  expired.clear();
  stuck.reset();
  wait_until_s.reset();
  decision = {};
  shape = {};
}

}  // namespace fathom
