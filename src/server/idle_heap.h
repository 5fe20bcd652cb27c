#ifndef FATHOM_SERVER_IDLE_HEAP_H_
#define FATHOM_SERVER_IDLE_HEAP_H_

#include <cstdint>

namespace fathom {

// Gives memory back that the allocator keeps after large requests: what their JSON and tokens were
// made of lies in many small pieces, and the C library keeps those for whoever needs some next.
// While requests run it is left alone, as they would only ask for it again.
// Threads: one at a time.
class IdleHeap {
 public:
  // Now and then; once nothing is open, and nothing was taken since the last look, it gives back
  // what is worth it. True when it did.
  bool Look(int64_t taken, int64_t open);

 private:
  int64_t taken_ = 0;
  bool idle_ = true;  // and looked after
};

}  // namespace fathom

#endif  // FATHOM_SERVER_IDLE_HEAP_H_
