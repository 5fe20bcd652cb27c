#ifndef FATHOM_SCHED_BLOCK_POOL_H_
#define FATHOM_SCHED_BLOCK_POOL_H_

#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

// Which blocks of the cache are free. Hands out the lowest first while fresh, later the block that
// came back last (its lines are the likeliest to be warm).
class BlockPool {
 public:
  // Blocks are numbered [0, blocks).
  explicit BlockPool(int64_t blocks);

  int64_t free() const { return static_cast<int64_t>(free_.size()); }

  // CHECK: 0 <= count <= free().
  std::vector<int32_t> Take(int64_t count);
  // CHECK: each block is taken.
  void Give(std::span<const int32_t> blocks);

 private:
  std::vector<int32_t> free_;  // the next one to go out is the last
  std::vector<bool> taken_;    // [blocks]
};

}  // namespace fathom

#endif  // FATHOM_SCHED_BLOCK_POOL_H_
