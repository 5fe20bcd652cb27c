#include "engine/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/sampling_params.h"
#include "engine/token_mask.h"

namespace fathom {
namespace {

using Logits = std::vector<float>;
using Weights = std::vector<std::pair<int32_t, double>>;

// Logits whose softmax is 1/2, 1/4, 1/8, 1/8 in the order of ids 2, 0, 1, 3.
Logits Halves() {
  const auto log = [](double p) { return static_cast<float>(std::log(p)); };
  return {log(0.25), log(0.125), log(0.5), log(0.125)};
}

// Ids and probabilities of what can be drawn.
Weights Distribution(const Logits& logits, const SamplingParams& params,
                     const TokenHistory& history = {}) {
  Sampler sampler;
  const auto candidates = sampler.Candidates(logits, params, history);
  double sum = 0;
  for (const Sampler::Candidate& candidate : *candidates) sum += candidate.weight;
  Weights weights;
  for (const Sampler::Candidate& candidate : *candidates) {
    weights.emplace_back(candidate.id, candidate.weight / sum);
  }
  return weights;
}

void ExpectDistribution(const Weights& found, Weights expected, const std::string& name) {
  Weights sorted = found;
  std::sort(sorted.begin(), sorted.end());
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(sorted.size(), expected.size()) << name;
  for (size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_EQ(sorted[i].first, expected[i].first) << name;
    // A logit near 2 is rounded by 1.2e-7 at most, and so is its weight, relatively; a probability
    // sees that of its own logit, of the largest and of the sum.
    EXPECT_NEAR(sorted[i].second, expected[i].second, 4 * 1.2e-7) << name;
  }
}

TEST(Sampler, FiltersGiveTheProbabilitiesOfTheirFormulas) {
  const double root = std::sqrt(0.5);  // temperature 2: square roots of 1, 1/2, 1/4, 1/4
  const double sum = 1 + root + 0.5 + 0.5;
  struct Row {
    std::string name;
    std::function<void(SamplingParams&)> change;
    Weights expected;
  };
  const Row rows[] = {
      {"plain", [](auto&) {}, {{2, 0.5}, {0, 0.25}, {1, 0.125}, {3, 0.125}}},
      {"hot",
       [](auto& p) { p.temperature = 2; },
       {{2, 1 / sum}, {0, root / sum}, {1, 0.5 / sum}, {3, 0.5 / sum}}},
      {"cold",
       [](auto& p) { p.temperature = 0.5; },  // squares: 1, 1/4, 1/16, 1/16
       {{2, 16. / 22}, {0, 4. / 22}, {1, 1. / 22}, {3, 1. / 22}}},
      {"smallest temperature there is",
       [](auto& p) { p.temperature = std::numeric_limits<double>::denorm_min(); },
       {{2, 1}, {0, 0}, {1, 0}, {3, 0}}},
      {"greedy", [](auto& p) { p.temperature = 0; }, {{2, 1}}},
      {"top-k 1", [](auto& p) { p.top_k = 1; }, {{2, 1}}},
      {"top-k 2", [](auto& p) { p.top_k = 2; }, {{2, 2. / 3}, {0, 1. / 3}}},
      {"top-k 3 takes the lower id of equals",
       [](auto& p) { p.top_k = 3; },
       {{2, 4. / 7}, {0, 2. / 7}, {1, 1. / 7}}},
      {"top-k of all", [](auto& p) { p.top_k = 4; }, {{2, 0.5}, {0, 0.25}, {1, 0.125}, {3, 0.125}}},
      {"top-k past all",
       [](auto& p) { p.top_k = 400; },
       {{2, 0.5}, {0, 0.25}, {1, 0.125}, {3, 0.125}}},
      {"top-p 0", [](auto& p) { p.top_p = 0; }, {{2, 1}}},
      {"top-p below the likeliest", [](auto& p) { p.top_p = 0.49; }, {{2, 1}}},
      {"top-p just past the likeliest",
       [](auto& p) { p.top_p = 0.51; },
       {{2, 2. / 3}, {0, 1. / 3}}},
      {"top-p 0.8 takes the lower id of equals",
       [](auto& p) { p.top_p = 0.8; },
       {{2, 4. / 7}, {0, 2. / 7}, {1, 1. / 7}}},
      {"top-p 0.9", [](auto& p) { p.top_p = 0.9; }, {{2, 0.5}, {0, 0.25}, {1, 0.125}, {3, 0.125}}},
      {"top-p counts what top-k left: 2/3 reaches 0.6",
       [](auto& p) { p.top_k = 2, p.top_p = 0.6; },
       {{2, 1}}},
      {"min-p 0.4", [](auto& p) { p.min_p = 0.4; }, {{2, 2. / 3}, {0, 1. / 3}}},
      {"min-p 1", [](auto& p) { p.min_p = 1; }, {{2, 1}}},
      {"min-p follows the temperature: 1/4 at 0.5",
       [](auto& p) { p.min_p = 0.4, p.temperature = 0.5; },
       {{2, 1}}},
      {"bias",
       [](auto& p) {
         p.logit_bias = {{1, std::log(4.0)}, {3, -100.0}};
       },
       {{2, 0.4}, {0, 0.2}, {1, 0.4}, {3, 0}}},
  };
  for (const Row& row : rows) {
    SamplingParams params;
    row.change(params);
    ExpectDistribution(Distribution(Halves(), params), row.expected, row.name);
  }
}

TEST(Sampler, EqualLogitsStayTogetherUnderMinPOne) {
  ExpectDistribution(Distribution({1, 3, 3, 2}, {.min_p = 1, .logit_bias = {}, .seed = {}}),
                     {{1, 0.5}, {2, 0.5}}, "two likeliest");
}

TEST(Sampler, GreedyTakesTheLowestIdAmongEquals) {
  Sampler sampler;
  SamplingParams greedy;
  greedy.temperature = 0;
  EXPECT_EQ(*sampler.Sample(Logits{1, 3, 2, 3}, greedy, {}, 0.99), 1);
  EXPECT_EQ(*sampler.Sample(Logits{-7}, greedy, {}, 0), 0);
  greedy.logit_bias = {{2, 1.5}};
  EXPECT_EQ(*sampler.Sample(Logits{1, 3, 2, 3}, greedy, {}, 0), 2);
}

TEST(Sampler, AMaskLeavesOnlyWhatItAllows) {
  Sampler sampler;
  const std::vector<int32_t> odd = {1, 3};
  TokenMask mask(4, odd);
  SamplingParams params;
  // Of 1/4, 1/8, 1/2, 1/8 those of ids 1 and 3 remain, as equals.
  const auto candidates = *sampler.Candidates(Halves(), params, {}, &mask);
  ASSERT_EQ(candidates.size(), 2U);
  EXPECT_EQ(candidates[0].id, 1);
  EXPECT_EQ(candidates[0].weight, 1);
  EXPECT_EQ(candidates[1].id, 3);
  EXPECT_EQ(candidates[1].weight, 1);
  params.temperature = 0;
  EXPECT_EQ(*sampler.Sample(Logits{1, 2, 9, 3}, params, {}, 0, &mask), 3);
  mask.Forbid(std::vector<int32_t>{-1, 3, 4});
  EXPECT_EQ(*sampler.Sample(Logits{1, 2, 9, 3}, params, {}, 0, &mask), 1);
}

TEST(Sampler, AMaskHidesNoBrokenLogit) {
  Sampler sampler;
  const TokenMask mask(2, std::vector<int32_t>{0});
  const Logits logits = {1, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_FALSE(sampler.Sample(logits, {}, {}, 0, &mask).ok());
}

// What Sample sees of the logits, read back from the candidates.
Logits Adjusted(const Logits& logits, const SamplingParams& params, const TokenHistory& history) {
  Sampler sampler;
  const auto candidates = sampler.Candidates(logits, params, history);
  Logits adjusted;
  for (const Sampler::Candidate& candidate : *candidates) {
    adjusted.push_back(candidate.logit);
  }
  return adjusted;
}

TEST(Sampler, PenaltiesAndBiasFollowTheirFormulas) {
  TokenHistory history;
  history.AddPrompt(std::vector<int32_t>{0, 1, 1});
  for (const int32_t token : {2, 3, 3}) history.AddAnswer(token);
  const Logits logits = {2, -2, 4, -4, 8};
  struct Row {
    std::string name;
    std::function<void(SamplingParams&)> change;
    Logits expected;
  };
  const Row rows[] = {
      // Over prompt and answer: positive ones are divided, negative ones multiplied.
      {"repetition", [](auto& p) { p.repetition_penalty = 2; }, {1, -4, 2, -8, 8}},
      {"repetition below one helps",
       [](auto& p) { p.repetition_penalty = 0.5; },
       {4, -1, 8, -2, 8}},
      {"presence, answer only", [](auto& p) { p.presence_penalty = 0.5; }, {2, -2, 3.5, -4.5, 8}},
      {"frequency, by count", [](auto& p) { p.frequency_penalty = 0.5; }, {2, -2, 3.5, -5, 8}},
      {"presence below zero helps", [](auto& p) { p.presence_penalty = -2; }, {2, -2, 6, -2, 8}},
      {"all three",
       [](auto& p) {
         p.repetition_penalty = 2, p.presence_penalty = 1, p.frequency_penalty = 0.25;
       },
       {1, -4, 0.75, -9.5, 8}},
      {"bias",
       [](auto& p) {
         p.logit_bias = {{4, -10.0}, {0, 1.0}};
       },
       {3, -2, 4, -4, -2}},
      // Bias first: (-2 + 6) / 2, not -2 * 2 + 6.
      {"bias before repetition",
       [](auto& p) {
         p.logit_bias = {{1, 6.0}}, p.repetition_penalty = 2;
       },
       {1, 2, 2, -8, 8}},
  };
  for (const Row& row : rows) {
    SamplingParams params;
    row.change(params);
    EXPECT_EQ(Adjusted(logits, params, history), row.expected) << row.name;
  }
}

TEST(Sampler, ATokenOfPromptAndAnswerIsPenalisedOnce) {
  TokenHistory history;
  history.AddPrompt(std::vector<int32_t>{0});
  history.AddAnswer(0);
  SamplingParams params;
  params.repetition_penalty = 2;
  params.frequency_penalty = 1;
  EXPECT_EQ(Adjusted({8, 0}, params, history), (Logits{3, 0}));
}

TEST(Sampler, DrawWalksUpTheWeights) {
  // Halves in the order of ids: 1/4, 1/8, 1/2, 1/8 end at 0.25, 0.375, 0.875, 1.
  Sampler sampler;
  const std::pair<double, int32_t> rows[] = {{0, 0},    {0.24, 0}, {0.26, 1}, {0.37, 1},
                                             {0.38, 2}, {0.87, 2}, {0.88, 3}, {1 - 0x1p-53, 3}};
  for (const auto& [uniform, id] : rows) {
    EXPECT_EQ(*sampler.Sample(Halves(), {}, {}, uniform), id) << uniform;
  }
  // Sorted by top-k: 2/3 and 1/3.
  SamplingParams top_two;
  top_two.top_k = 2;
  EXPECT_EQ(*sampler.Sample(Halves(), top_two, {}, 0.66), 2);
  EXPECT_EQ(*sampler.Sample(Halves(), top_two, {}, 0.67), 0);
}

TEST(Sampler, FrequenciesMeetTheProbabilities) {
  constexpr int kDraws = 20000;
  int counts[4] = {};
  Sampler sampler;
  for (uint64_t i = 0; i < kDraws; ++i) {
    ++counts[*sampler.Sample(Halves(), {}, {}, UniformAt(42, i))];
  }
  const double expected[4] = {0.25, 0.125, 0.5, 0.125};
  double chi_square = 0;
  for (int i = 0; i < 4; ++i) {
    const double difference = counts[i] - expected[i] * kDraws;
    chi_square += difference * difference / (expected[i] * kDraws);
  }
  EXPECT_LT(chi_square, 16.27);  // three degrees of freedom: one fair stream in a thousand is above
}

TEST(Sampler, NotANumberAndInfinityAreErrorsThatNameTheToken) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  SamplingParams greedy;
  greedy.temperature = 0;
  const std::pair<Logits, std::string> rows[] = {
      {{1, kNan, 2}, "the logit of token 1 is nan"},
      {{1, 2, kInf}, "the logit of token 2 is inf"},
      {{-kInf, 2, 1}, "the logit of token 0 is -inf"},
  };
  Sampler sampler;
  for (const auto& [logits, what] : rows) {
    for (const SamplingParams& params : {SamplingParams(), greedy}) {
      const auto token = sampler.Sample(logits, params, {}, 0.5);
      ASSERT_FALSE(token.ok());
      EXPECT_EQ(token.error().what, what);
    }
  }
}

// A vocabulary of DeepSeek's size, filters against a full sort.
TEST(Sampler, PartialSortsAgreeWithAFullSort) {
  constexpr int32_t kVocab = 129280;
  std::mt19937_64 random(7);
  Logits logits(kVocab);
  // Steps of 1/64 make many equals.
  for (float& logit : logits) logit = static_cast<float>(random() % 1024) / 64;
  std::vector<int32_t> order(kVocab);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return logits[static_cast<size_t>(a)] > logits[static_cast<size_t>(b)];
  });
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit) - 1023. / 64);
  for (const double top_p : {0.0, 0.001, 0.1, 0.9}) {
    size_t size = 0;
    for (double sum = 0; size == 0 || sum < top_p * total; ++size) {
      sum += std::exp(logits[static_cast<size_t>(order[size])] - 1023. / 64);
    }
    SamplingParams params;
    params.top_p = top_p;
    const Weights found = Distribution(logits, params);
    // The two sums differ by rounding: the borders by one token at most.
    ASSERT_NEAR(static_cast<double>(found.size()), static_cast<double>(size), 1) << top_p;
    for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].first, order[i]) << i;
  }
  SamplingParams top_k;
  top_k.top_k = 1000;
  const Weights found = Distribution(logits, top_k);
  ASSERT_EQ(found.size(), 1000U);
  for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].first, order[i]) << i;
}

TEST(SplitMix64, GivesThePublishedSequence) {
  // The first five outputs for seed 1234567 (Rosetta Code, "Pseudo-random numbers/Splitmix64").
  const uint64_t published[] = {6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                4593380528125082431U, 16408922859458223821U};
  for (uint64_t i = 0; i < 5; ++i) EXPECT_EQ(SplitMix64At(1234567, i), published[i]);
}

TEST(UniformAt, IsTheTopOfTheStreamInZeroToOne) {
  EXPECT_EQ(UniformAt(1234567, 0), static_cast<double>(6457827717110365317U >> 11) / 0x1p53);
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_GE(UniformAt(i, i), 0);
    EXPECT_LT(UniformAt(i, i), 1);
  }
}

}  // namespace
}  // namespace fathom
