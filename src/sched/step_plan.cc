#include "sched/step_plan.h"

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
}

}  // namespace fathom
