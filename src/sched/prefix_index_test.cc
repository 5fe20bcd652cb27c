#include "sched/prefix_index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace fathom {
namespace {

using Tokens = std::vector<int32_t>;

TEST(PrefixIndex, FindsABlockUnderItsPrefixOnly) {
  PrefixIndex index(4, 2);
  const PrefixNode first = index.Insert(3, kEmptyPrefix, Tokens{1, 2});
  const PrefixNode other = index.Insert(1, kEmptyPrefix, Tokens{1, 3});
  index.Insert(0, first, Tokens{7, 8});
  EXPECT_EQ(index.Find(kEmptyPrefix, Tokens{1, 2}), 3);
  EXPECT_EQ(index.Find(kEmptyPrefix, Tokens{1, 3}), 1);
  EXPECT_EQ(index.Find(kEmptyPrefix, Tokens{2, 1}), -1);
  EXPECT_EQ(index.Find(first, Tokens{7, 8}), 0);
  EXPECT_EQ(index.Find(other, Tokens{7, 8}), -1);
  EXPECT_EQ(index.Find(kEmptyPrefix, Tokens{7, 8}), -1);
}

TEST(PrefixIndex, APrefixThatIsComputedAgainHasNotTheOldContinuations) {
  PrefixIndex index(4, 2);
  const PrefixNode first = index.Insert(0, kEmptyPrefix, Tokens{1, 2});
  index.Insert(1, first, Tokens{3, 4});
  index.Forget(0);
  EXPECT_EQ(index.Find(kEmptyPrefix, Tokens{1, 2}), -1);
  // The same block with the same tokens: a prefix of its own.
  const PrefixNode again = index.Insert(0, kEmptyPrefix, Tokens{1, 2});
  EXPECT_NE(again, first);
  EXPECT_EQ(index.Find(again, Tokens{3, 4}), -1);
  index.Forget(1);
  index.Forget(1);  // once is enough
  EXPECT_FALSE(index.Has(1));
}

TEST(PrefixIndex, FindsTheBlockThatAgreesLongest) {
  PrefixIndex index(8, 4);
  const PrefixNode root = index.Insert(0, kEmptyPrefix, Tokens{1, 2, 3, 4});
  index.Insert(1, root, Tokens{5, 6, 7, 8});
  index.Insert(2, root, Tokens{5, 6, 9, 9});
  index.Insert(3, kEmptyPrefix, Tokens{5, 6, 7, 8});
  const struct {
    Tokens tokens;
    int32_t block;
    int64_t agree;
  } rows[] = {
      {{5, 6, 7, 1}, 1, 3},  {{5, 6, 9, 9}, 2, 4}, {{5, 6, 9}, 2, 3},
      {{6, 6, 7, 8}, -1, 0}, {{}, -1, 0},
  };
  for (const auto& row : rows) {
    const PrefixIndex::Partial found = index.FindPartial(root, row.tokens);
    EXPECT_EQ(found.block, row.block);
    EXPECT_EQ(found.tokens, row.agree);
  }
  // Equal for as long as it matters: the most recent.
  EXPECT_EQ(index.FindPartial(root, Tokens{5, 6}).block, 2);
}

TEST(PrefixIndex, ComparesContentsWhereHashesFallTogether) {
  // More blocks in one bucket than buckets: every lookup meets strangers.
  constexpr int kBlocks = 64;
  PrefixIndex index(kBlocks, 1);
  std::vector<PrefixNode> nodes;
  for (int32_t block = 0; block < kBlocks; ++block) {
    nodes.push_back(
        index.Insert(block, block % 2 == 0 ? kEmptyPrefix : nodes.back(), Tokens{block / 2}));
  }
  for (int32_t block = 0; block < kBlocks; block += 2) {
    EXPECT_EQ(index.Find(kEmptyPrefix, Tokens{block / 2}), block);
    EXPECT_EQ(index.Find(nodes[static_cast<size_t>(block)], Tokens{block / 2}), block + 1);
    EXPECT_EQ(index.Find(nodes[static_cast<size_t>(block)], Tokens{kBlocks + block}), -1);
  }
  for (int32_t block = 0; block < kBlocks; block += 3) index.Forget(block);
  for (int32_t block = 0; block < kBlocks; block += 2) {
    EXPECT_EQ(index.Find(kEmptyPrefix, Tokens{block / 2}), block % 3 == 0 ? -1 : block);
  }
}

}  // namespace
}  // namespace fathom
