#include "sched/block_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace fathom {
namespace {

using Blocks = std::vector<int32_t>;

TEST(BlockPool, HandsOutTheLowestFirstThenTheLastGivenBack) {
  BlockPool pool(4);
  EXPECT_EQ(pool.Take(2), (Blocks{0, 1}));
  EXPECT_EQ(pool.Take(1), (Blocks{2}));
  pool.Give(Blocks{0, 1});
  EXPECT_EQ(pool.free(), 3);
  EXPECT_EQ(pool.Take(3), (Blocks{0, 1, 3}));
  EXPECT_EQ(pool.free(), 0);
  EXPECT_EQ(pool.Take(0), Blocks{});
}

TEST(BlockPoolDeathTest, BlocksThatAreNotThereEndTheProgram) {
  BlockPool pool(2);
  EXPECT_DEATH(pool.Take(3), "count <= free");
  EXPECT_DEATH(pool.Give(Blocks{1}), "taken_");
  EXPECT_DEATH(pool.Give(Blocks{2}), "block < ");
}

}  // namespace
}  // namespace fathom
