#ifndef FATHOM_SCHED_REQUEST_H_
#define FATHOM_SCHED_REQUEST_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace fathom {

using RequestId = int64_t;

// Which tokens of a sequence need logits.
enum class LogitRows : uint8_t { kLast, kAll };

// What the scheduler has to know of a request. Times are seconds on the clock of Scheduler::Plan.
struct ScheduledRequest {
  RequestId id = 0;
  std::vector<int32_t> tokens;  // of the prompt, at least one
  LogitRows rows = LogitRows::kLast;
  int32_t priority = 0;  // the lower goes first (vLLM's sense)
  uint64_t client = 0;   // who asks: equal clients share what is given out fairly
  double arrival_s = 0;  // when it came
  std::optional<double> deadline_s = std::nullopt;  // when nobody waits for it any more
  int64_t max_tokens = 0;                           // most tokens Extend will add
};

}  // namespace fathom

#endif  // FATHOM_SCHED_REQUEST_H_
