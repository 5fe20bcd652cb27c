#ifndef FATHOM_SCHED_BLOCK_POOL_H_
#define FATHOM_SCHED_BLOCK_POOL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom {

// Who holds which block of a cache. A block is in one of three states:
//   held    by one holder or by several that share it
//   cached  by nobody, but what it holds may be wanted again (Keep)
//   free    by nobody, and what it holds is of no use
// free + held + cached = all. Take hands out free blocks first (the lowest while fresh, later the
// one that came back last: its lines are the likeliest to be warm), then the cached block whose
// last holder left it longest ago. Cost    every call O(1), no allocation.
class BlockPool {
 public:
  // Blocks are numbered [0, blocks).
  explicit BlockPool(int64_t blocks);

  int64_t blocks() const { return static_cast<int64_t>(refs_.size()); }
  int64_t free() const { return static_cast<int64_t>(free_.size()); }
  int64_t cached() const { return cached_; }
  int64_t held() const { return blocks() - free() - cached(); }
  // What Take can give.
  int64_t available() const { return free() + cached(); }

  // A block for one holder. What it held is lost, and it is not kept any more: whoever indexes
  // contents has to forget it. CHECK: available() >= 1.
  int32_t Take();
  // One holder more of a block that is held or cached. CHECK: it is one of them.
  void Share(int32_t block);
  // One holder less. Without holders a block is cached if it is kept, else free. CHECK: it is held.
  void Release(int32_t block);

  // From now on the contents are worth keeping, or no more. CHECK of Keep: the block is held.
  void Keep(int32_t block);
  void Drop(int32_t block);

  // The block that Take will give when it is called for the `ahead` + 1st time from now, if nothing
  // else happens; -1 without one. Cost    O(ahead).
  int32_t Peek(int64_t ahead) const;
  // The block will soon be taken, kept or released.
  void Prefetch(int32_t block) const { __builtin_prefetch(&refs_[static_cast<size_t>(block)], 1); }

  int32_t holders(int32_t block) const { return refs_[static_cast<size_t>(block)]; }

 private:
  // Cached blocks in the order they were left: a ring through `sentinel`, the oldest first.
  struct Link {
    int32_t previous = 0;
    int32_t next = 0;
  };

  void Append(int32_t block);
  void Unlink(int32_t block);
  size_t Checked(int32_t block) const;

  std::vector<int32_t> refs_;  // [blocks] holders
  std::vector<bool> kept_;     // [blocks]
  std::vector<int32_t> free_;  // the next one to go out is the last
  std::vector<Link> links_;    // [blocks + 1], the last one is the ring's head
  int64_t cached_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_SCHED_BLOCK_POOL_H_
