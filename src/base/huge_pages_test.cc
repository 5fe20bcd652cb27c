#include "base/huge_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace fathom {
namespace {

TEST(HugePages, LargeVectorsBeginAtAHugePage) {
  HugeVector<int32_t> values(1 << 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(values.data()) % (2 << 20), 0U);
}

TEST(HugePages, ContentsSurviveGrowthFromSmallToLarge) {
  HugeVector<int64_t> values;
  for (int64_t i = 0; i < 1'000'000; ++i) values.push_back(i);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), 499'999'500'000);
  EXPECT_EQ(values.back(), 999'999);
}

}  // namespace
}  // namespace fathom
