#include "engine/log_softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace fathom {
namespace {

TEST(LogSoftmax, GivesTheLogarithmOfEachShare) {
  // exp: 1, 2, 5 of 8.
  const std::vector<float> logits = {0, std::log(2.0f), std::log(5.0f)};
  const LogSoftmax softmax(logits);
  // A float32 logarithm is right to 2^-24 of its value, which is below 2.
  constexpr double kTolerance = 2 * std::numeric_limits<float>::epsilon();
  EXPECT_NEAR(softmax.LogProb(0), std::log(1.0 / 8), kTolerance);
  EXPECT_NEAR(softmax.LogProb(1), std::log(2.0 / 8), kTolerance);
  EXPECT_NEAR(softmax.LogProb(2), std::log(5.0 / 8), kTolerance);
}

TEST(LogSoftmax, LargeLogitsDoNotOverflow) {
  const std::vector<float> logits = {3e38f, 3e38f, -3e38f};
  const LogSoftmax softmax(logits);
  EXPECT_DOUBLE_EQ(softmax.LogProb(0),
                   static_cast<double>(3e38f) - (static_cast<double>(3e38f) + std::log(2.0)));
  EXPECT_LT(softmax.LogProb(2), -1e38);
}

TEST(LogSoftmax, TopIsSortedAndOfEqualsTheLowerIdComesFirst) {
  const std::vector<float> logits = {1, 3, 2, 3};
  const auto top = LogSoftmax(logits).Top(3);
  ASSERT_EQ(top.size(), 3u);
  EXPECT_EQ(top[0].first, 1);
  EXPECT_EQ(top[1].first, 3);
  EXPECT_EQ(top[2].first, 2);
  EXPECT_EQ(top[0].second, LogSoftmax(logits).LogProb(1));
  EXPECT_EQ(LogSoftmax(logits).Top(10).size(), 4u);
}

}  // namespace
}  // namespace fathom
