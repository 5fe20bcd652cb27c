#include <cstddef>
#include <cstdint>

#include "sched/scheduler_shadow_testing.h"

// Any order of arrivals, cancels and steps under any limits and policy keeps the promises of
// scheduler.h.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fathom::PlaySchedulerScript({data, size});
  return 0;
}
