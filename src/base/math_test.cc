#include "base/math.h"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(Math, CeilDivCountsThePiecesThatHoldAValue) {
  EXPECT_EQ(CeilDiv(0, 16), 0);
  EXPECT_EQ(CeilDiv(1, 16), 1);
  EXPECT_EQ(CeilDiv(16, 16), 1);
  EXPECT_EQ(CeilDiv(17, 16), 2);
  EXPECT_EQ(CeilDiv(576, 128), 5);
  EXPECT_EQ(CeilDiv(7, 1), 7);
}

}  // namespace
}  // namespace fathom
