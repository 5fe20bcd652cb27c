#ifndef FATHOM_SCHED_RANKED_LIST_H_
#define FATHOM_SCHED_RANKED_LIST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom {

// Who comes before whom where blocks are short: the lower key first (see Scheduler, "Rank"), the
// one that was added earlier among equals.
struct Rank {
  double key = 0;
  int64_t order = 0;

  friend auto operator<=>(const Rank&, const Rank&) = default;
};

// Slots in the order of their ranks, the first ranked first.
// Cost    Insert: linear in those that rank after the new one, of whom there are few, since who
// comes
//         last mostly ranks last. All else O(1).
class RankedList {
 public:
  static constexpr int32_t kNone = -1;

  int32_t first() const { return first_; }
  int32_t last() const { return last_; }
  int32_t next(int32_t slot) const { return links_[static_cast<size_t>(slot)].next; }
  int32_t previous(int32_t slot) const { return links_[static_cast<size_t>(slot)].previous; }
  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // CHECK: slot >= 0. A slot may be in the list once.
  void Insert(int32_t slot, const Rank& rank);
  // The slot must be in the list.
  void Erase(int32_t slot);

 private:
  struct Links {
    int32_t previous = kNone;
    int32_t next = kNone;
  };

  int32_t& NextOf(int32_t slot) {
    return slot == kNone ? first_ : links_[static_cast<size_t>(slot)].next;
  }
  int32_t& PreviousOf(int32_t slot) {
    return slot == kNone ? last_ : links_[static_cast<size_t>(slot)].previous;
  }

  // [slots] both; apart, so that who walks the list touches little
  std::vector<Links> links_;
  std::vector<Rank> ranks_;
  int32_t first_ = kNone;
  int32_t last_ = kNone;
  int64_t size_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_SCHED_RANKED_LIST_H_
