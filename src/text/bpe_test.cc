#include "text/bpe.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "text/bpe_reference.h"

namespace fathom {
namespace {

using Ids = std::vector<int32_t>;

std::array<int32_t, 256> ByteIds() {
  std::array<int32_t, 256> ids{};
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

Ids Encode(const Bpe& bpe, std::string_view word) {
  Bpe::Scratch scratch;
  Ids ids;
  bpe.Encode(word, scratch, ids);
  return ids;
}

TEST(Bpe, MergesByRankAndFromTheLeft) {
  // ab (rank 0), bc (1), abc (2): "abc" merges ab first, "bcab" both.
  const Bpe bpe(ByteIds(), {{'a', 'b', 300}, {'b', 'c', 301}, {300, 'c', 302}, {'a', 'a', 303}});
  EXPECT_EQ(Encode(bpe, ""), Ids());
  EXPECT_EQ(Encode(bpe, "x"), Ids({'x'}));
  EXPECT_EQ(Encode(bpe, "abc"), Ids({302}));
  EXPECT_EQ(Encode(bpe, "bcab"), Ids({301, 300}));
  EXPECT_EQ(Encode(bpe, "aaa"), Ids({303, 'a'}));
  EXPECT_EQ(Encode(bpe, "\xFF"), Ids({0xFF}));
}

// Random merges over few letters, so that words merge a lot; lengths on both sides of the one where
// the way of searching changes.
TEST(Bpe, EqualsTheDefinition) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<Bpe::Merge> merges;
    Ids known = {'a', 'b', 'c'};
    while (merges.size() < 40) {
      const auto pick = [&] { return known[random() % known.size()]; };
      merges.push_back({pick(), pick(), static_cast<int32_t>(300 + merges.size())});
      known.push_back(merges.back().result);
    }
    // The reference takes the first of two merges of one pair, the library the last.
    for (size_t i = 0; i < merges.size(); ++i) {
      for (size_t j = i + 1; j < merges.size(); ++j) {
        if (merges[i].left == merges[j].left && merges[i].right == merges[j].right) {
          merges[i] = {-1 - static_cast<int32_t>(i), -1, 0};
        }
      }
    }
    const Bpe bpe(ByteIds(), merges);
    for (const size_t length : {1U, 2U, 3U, 10U, 31U, 32U, 33U, 34U, 100U, 300U}) {
      std::string word;
      while (word.size() < length) word += static_cast<char>('a' + random() % 3);
      EXPECT_EQ(Encode(bpe, word), EncodeReference(ByteIds(), merges, word)) << word;
    }
  }
}

// A word of a million bytes: with a search among all pairs for each merge this would be 10^12
// steps.
TEST(Bpe, LongWordsAreNotQuadratic) {
  std::vector<Bpe::Merge> merges;
  int32_t id = 'a';
  for (int32_t power = 0; power < 10; ++power) {
    merges.push_back({id, id, 300 + power});
    id = 300 + power;
  }
  const Bpe bpe(ByteIds(), merges);
  EXPECT_EQ(Encode(bpe, std::string(size_t{1} << 20, 'a')), Ids(1024, 309));
}

}  // namespace
}  // namespace fathom
