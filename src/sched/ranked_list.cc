#include "sched/ranked_list.h"

#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace fathom {

void RankedList::Insert(int32_t slot, const Rank& rank) {
  FATHOM_CHECK(slot >= 0);
  const auto index = static_cast<size_t>(slot);
  if (index >= items_.size()) items_.resize(index + 1);
  int32_t before = last_;
  while (before != kNone && rank < items_[static_cast<size_t>(before)].rank) {
    before = PreviousOf(before);
  }
  const int32_t after = NextOf(before);
  items_[index] = {rank, before, after};
  NextOf(before) = slot;
  PreviousOf(after) = slot;
  ++size_;
}

void RankedList::Erase(int32_t slot) {
  const Item item = items_[static_cast<size_t>(slot)];
  NextOf(item.previous) = item.next;
  PreviousOf(item.next) = item.previous;
  --size_;
}

}  // namespace fathom
