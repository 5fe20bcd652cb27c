#include "cli/line_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/json.h"
#include "cli/score_input.h"

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

TEST(LineScore, SumsThePredictionsOfTheIdsThatFollow) {
  const ScoreItem item{"a", {2, 0, 1}};
  LineScore score(item, 1);
  const std::vector<float> even = {0, 0, 0};
  for (int i = 0; i < 3; ++i) score.AddRow(even);
  const double third = std::log(3.0);
  EXPECT_DOUBLE_EQ(score.nll(), 2 * third);
  const Json report = score.Report();
  EXPECT_EQ(report.Find("id")->as_string(), "a");
  EXPECT_EQ(*report.Find("ids"), Json::ArrayOf(item.ids));
  ASSERT_EQ(report.Find("logprobs")->as_array().size(), 2u);
  EXPECT_DOUBLE_EQ(report.Find("logprobs")->as_array()[0].as_double(), -third);
  ASSERT_EQ(report.Find("top")->as_array().size(), 2u);
  EXPECT_EQ(report.Find("top")->as_array()[0].as_array()[0].as_array()[0].as_int(), 0);
  EXPECT_DOUBLE_EQ(report.Find("perplexity")->as_double(), 3);
}

TEST(LineScore, ASingleIdPredictsNothing) {
  const ScoreItem item{"a", {2}};
  LineScore score(item, 0);
  score.AddRow(std::vector<float>{0, 0, 0});
  const Json report = score.Report();
  EXPECT_EQ(report.Dump(), R"({"id":"a","ids":[2],"logprobs":[],"nll":0.0,"perplexity":null})");
}

}  // namespace
}  // namespace fathom
