#include "ops/vec_exp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/vec_portable.h"

namespace fathom {
namespace {

float ExpOf(float x) {
  float lanes[16];
  VecPortable::Store(lanes, Exp<VecPortable>(VecPortable::Broadcast(x)));
  return lanes[7];
}

// Seven steps of Horner's rule, each halving what the ones before rounded, the two-part reduction
// and the last product: less than 2 units in the last place together.
TEST(Exp, IsWithinTwoUnitsInTheLastPlaceOfTheExactValue) {
  double worst = 0;
  for (int i = 0; i <= 400000; ++i) {
    const float x = -87.0F + static_cast<float>(i) * (175.0F / 400000);
    const double exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(static_cast<double>(ExpOf(x)) - exact) / exact);
  }
  EXPECT_LE(worst, 0x1p-22);
}

TEST(Exp, OfZeroIsExactlyOne) { EXPECT_EQ(ExpOf(0), 1); }

TEST(Exp, StopsAtTheEndsOfItsRange) {
  EXPECT_LE(ExpOf(-1e30F), 0x1.0p-124F);
  EXPECT_GE(ExpOf(-1e30F), 0);
  EXPECT_NEAR(ExpOf(1e30F), std::exp(88.0), std::exp(88.0) * 0x1p-22);
}

}  // namespace
}  // namespace fathom
