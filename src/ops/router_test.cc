#include "ops/router.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tensor/mat_view.h"
#include "tensor/npy_testing.h"

namespace fathom {
namespace {

struct Routed {
  std::vector<int32_t> experts;
  std::vector<float> weights;
};

Routed RouteAll(const RouterRule& rule, const std::vector<float>& logits,
                const std::vector<float>& bias, int64_t experts, int64_t k) {
  const int64_t tokens = static_cast<int64_t>(logits.size()) / experts;
  Routed out;
  out.experts.resize(static_cast<size_t>(tokens * k));
  out.weights.resize(static_cast<size_t>(tokens * k));
  RouterBuffers buffers(experts);
  Route(rule, {logits.data(), tokens, experts}, bias, {out.experts.data(), tokens, k},
        {out.weights.data(), tokens, k}, buffers);
  return out;
}

using Scores = RouterRule::Scores;
using Groups = RouterRule::Groups;

const RouterRule kR1 = {Scores::kSigmoid, Groups::kTopTwoSum, 8, 4, true, 2.5};

struct GoldenCase {
  std::string name;
  RouterRule rule;
  int64_t experts;
  int64_t k;
  bool has_bias;
};

TEST(Router, GoldenRowsOfTheRealModels) {
  const GoldenCase cases[] = {
      {"r1", kR1, 256, 8, true},
      {"r1_negbias", kR1, 256, 8, true},
      {"v2", {Scores::kSoftmax, Groups::kMax, 8, 3, false, 16}, 160, 6, false},
      {"v2lite", {Scores::kSoftmax, Groups::kNone, 1, 1, false, 1}, 64, 6, false},
  };
  for (const GoldenCase& golden : cases) {
    const std::string prefix = "ops/router_" + golden.name + "_";
    const auto logits = ReadGoldenNpy(prefix + "logits.npy").As<float>();
    const auto bias =
        golden.has_bias ? ReadGoldenNpy(prefix + "bias.npy").As<float>() : std::vector<float>();
    const auto experts = ReadGoldenNpy(prefix + "experts.npy").As<int32_t>();
    const auto weights = ReadGoldenNpy(prefix + "weights.npy").As<float>();
    const Routed routed = RouteAll(golden.rule, logits, bias, golden.experts, golden.k);
    ASSERT_EQ(routed.experts, experts) << golden.name;
    for (size_t i = 0; i < weights.size(); ++i) {
      ASSERT_NEAR(routed.weights[i], weights[i], 1e-6F * weights[i]) << golden.name << " " << i;
    }
  }
}

TEST(Router, NegativeChoiceScoresMaskUnselectedGroupsToMinusInfinity) {
  // Scores are a half each; with these biases group 1 wins, and its second expert has the choice
  // score -1.5, below the zero that a wrong mask would give group 0.
  const RouterRule rule = {Scores::kSigmoid, Groups::kMax, 2, 1, true, 1};
  const Routed routed = RouteAll(rule, {0, 0, 0, 0}, {-1, -1.5, 0.25, -2}, 4, 2);
  EXPECT_EQ(routed.experts, (std::vector<int32_t>{2, 3}));
}

TEST(Router, TiesGoToTheLowerId) {
  const RouterRule rule = {Scores::kSigmoid, Groups::kNone, 1, 1, true, 1};
  const Routed routed = RouteAll(rule, {1, 2, 2, 2}, {}, 4, 2);
  EXPECT_EQ(routed.experts, (std::vector<int32_t>{1, 2}));
  EXPECT_FLOAT_EQ(routed.weights[0], 0.5F);
}

TEST(Router, GroupsOfOneExpertCountItAlone) {
  const RouterRule rule = {Scores::kSigmoid, Groups::kMax, 4, 2, false, 1};
  const Routed routed = RouteAll(rule, {3, -1, 2, 0}, {}, 4, 2);
  EXPECT_EQ(routed.experts, (std::vector<int32_t>{0, 2}));
}

TEST(Router, SoftmaxOfHugeLogitsStaysFinite) {
  const RouterRule rule = {Scores::kSoftmax, Groups::kNone, 1, 1, false, 3};
  const Routed routed = RouteAll(rule, {1000, 1000, -1000}, {}, 3, 2);
  EXPECT_EQ(routed.weights, (std::vector<float>{1.5F, 1.5F}));
}

TEST(Router, NoTokensIsNoWork) { EXPECT_TRUE(RouteAll(kR1, {}, {}, 256, 8).experts.empty()); }

}  // namespace
}  // namespace fathom
