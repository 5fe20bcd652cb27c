#include "base/check.h"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(Check, AConditionThatHoldsIsEvaluatedOnce) {
  int evaluated = 0;
  FATHOM_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, ABrokenConditionEndsTheProcessWithItsTextAndPlace) {
  EXPECT_DEATH(FATHOM_CHECK(2 + 2 == 5),
               "fathom: internal error: 2 \\+ 2 == 5 does not hold \\(.*check_test.cc:[0-9]+\\)");
}

}  // namespace
}  // namespace fathom
