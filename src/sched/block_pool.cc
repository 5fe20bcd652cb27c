#include "sched/block_pool.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/check.h"

namespace fathom {

BlockPool::BlockPool(int64_t blocks) {
  FATHOM_CHECK(blocks >= 0 && blocks <= std::numeric_limits<int32_t>::max());
  free_.resize(static_cast<size_t>(blocks));
  std::iota(free_.rbegin(), free_.rend(), 0);
  taken_.resize(static_cast<size_t>(blocks), false);
}

std::vector<int32_t> BlockPool::Take(int64_t count) {
  FATHOM_CHECK(count >= 0 && count <= free());
  std::vector<int32_t> blocks;
  blocks.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    blocks.push_back(free_.back());
    taken_[static_cast<size_t>(free_.back())] = true;
    free_.pop_back();
  }
  return blocks;
}

void BlockPool::Give(std::span<const int32_t> blocks) {
  // Backwards, so that a later Take hands them out in the order they were held.
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    FATHOM_CHECK(*block >= 0 && *block < static_cast<int64_t>(taken_.size()));
    const auto index = static_cast<size_t>(*block);
    FATHOM_CHECK(taken_[index]);
    taken_[index] = false;
    free_.push_back(*block);
  }
}

}  // namespace fathom
