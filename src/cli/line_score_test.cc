#include "cli/line_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/json.h"
#include "cli/score_input.h"

namespace fathom {
namespace {

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
