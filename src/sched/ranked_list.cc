#include "sched/ranked_list.h"

#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace fathom {

void RankedList::Insert(int32_t slot, const Rank& rank) {
  FATHOM_CHECK(slot >= 0);
  const auto index = static_cast<size_t>(slot);
  if (index >= links_.size()) {
    links_.resize(index + 1);
    ranks_.resize(index + 1);
  }
  int32_t before = last_;
  while (before != kNone && rank < ranks_[static_cast<size_t>(before)]) {
    before = PreviousOf(before);
  }
  const int32_t after = NextOf(before);
  links_[index] = {before, after};
  ranks_[index] = rank;
  NextOf(before) = slot;
  PreviousOf(after) = slot;
  ++size_;
}

void RankedList::Erase(int32_t slot) {
  const Links links = links_[static_cast<size_t>(slot)];
  NextOf(links.previous) = links.next;
  PreviousOf(links.next) = links.previous;
  --size_;
}

}  // namespace fathom
