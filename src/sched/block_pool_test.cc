#include "sched/block_pool.h"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(BlockPool, HandsOutTheLowestFirstThenTheLastGivenBack) {
  BlockPool pool(4);
  for (const int block : {0, 1, 2}) EXPECT_EQ(pool.Take(), block);
  pool.Release(0);
  pool.Release(1);
  EXPECT_EQ(pool.free(), 3);
  for (const int block : {1, 0, 3}) EXPECT_EQ(pool.Take(), block);
  EXPECT_EQ(pool.available(), 0);
}

TEST(BlockPool, ABlockIsFreeWhenItsLastHolderLeaves) {
  BlockPool pool(2);
  const auto block = pool.Take();
  pool.Share(block);
  EXPECT_EQ(pool.holders(block), 2);
  pool.Release(block);
  EXPECT_EQ(pool.held(), 1);
  pool.Release(block);
  EXPECT_EQ(pool.held(), 0);
  EXPECT_EQ(pool.free(), 2);
}

TEST(BlockPool, KeptBlocksAreTheLastToBeTakenAndTheLongestLeftFirst) {
  BlockPool pool(4);
  for (int i = 0; i < 4; ++i) pool.Take();
  for (const int block : {0, 1, 2}) pool.Keep(block);
  for (const int block : {1, 2, 0, 3}) pool.Release(block);
  EXPECT_EQ(pool.free(), 1);
  EXPECT_EQ(pool.cached(), 3);
  pool.Share(1);  // wanted again
  pool.Release(1);
  for (const int block : {3, 2, 0, 1}) EXPECT_EQ(pool.Take(), block);
  EXPECT_EQ(pool.cached(), 0);
  // What was kept is no more once its block was handed out.
  pool.Release(2);
  EXPECT_EQ(pool.free(), 1);
}

TEST(BlockPool, ADroppedBlockIsNotKept) {
  BlockPool pool(2);
  pool.Take();
  pool.Take();
  pool.Keep(0);
  pool.Keep(1);
  pool.Release(0);
  pool.Drop(0);
  EXPECT_EQ(pool.free(), 1);
  pool.Drop(1);
  pool.Drop(1);
  pool.Release(1);
  EXPECT_EQ(pool.free(), 2);
}

TEST(BlockPoolDeathTest, BlocksThatAreNotThereEndTheProgram) {
  BlockPool pool(1);
  EXPECT_DEATH(pool.Release(0), "refs_");
  EXPECT_DEATH(pool.Share(0), "kept_");
  EXPECT_DEATH(pool.Keep(0), "refs_");
  EXPECT_DEATH(pool.Release(1), "block < ");
  pool.Take();
  EXPECT_DEATH(pool.Take(), "available");
}

}  // namespace
}  // namespace fathom
