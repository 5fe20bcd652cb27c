#ifndef FATHOM_SCHED_STAGE_LIMITS_H_
#define FATHOM_SCHED_STAGE_LIMITS_H_

#include <cstdint>
#include <limits>

namespace fathom {

// What a step of a stage may hold: all that distinguishes one policy's steps from another's.
struct StageLimits {
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  bool decodes = true;
  bool prefills = true;
  int64_t tokens = kNoLimit;
  int64_t entering = kNoLimit;  // prompts that enter
  // A prompt enters only if the step computes all of it. The first of a step may still be cut, when
  // it is longer than a step: every prompt can be computed.
  bool whole_prompts = false;
};

}  // namespace fathom

#endif  // FATHOM_SCHED_STAGE_LIMITS_H_
