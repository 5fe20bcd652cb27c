#include "server/idle_heap.h"

#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace fathom {
namespace {

// Less is not worth the time in which nobody can allocate.
constexpr size_t kWorthIt = 16 << 20;

}  // namespace

bool IdleHeap::Look(int64_t taken, int64_t open) {
  const bool quiet = open == 0 && std::exchange(taken_, taken) == taken;
  if (!quiet) idle_ = false;
  if (!quiet || std::exchange(idle_, true)) return false;
  if (mallinfo2().fordblks < kWorthIt) return false;
  malloc_trim(0);
  return true;
}

}  // namespace fathom
