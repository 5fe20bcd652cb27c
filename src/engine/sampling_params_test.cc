#include "engine/sampling_params.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "base/result.h"

namespace fathom {
namespace {

TEST(SamplingParams, DefaultsAndLimitsAreValid) {
  EXPECT_TRUE(ValidateSampling({}, 10).ok());
  SamplingParams low{.temperature = 0,
                     .top_p = 0,
                     .repetition_penalty = 0.01,
                     .presence_penalty = -2,
                     .frequency_penalty = -2,
                     .logit_bias = {{0, -100.0}},
                     .seed = 0};
  EXPECT_TRUE(ValidateSampling(low, 10).ok());
  SamplingParams high{.temperature = 100,
                      .top_k = std::numeric_limits<int32_t>::max(),
                      .min_p = 1,
                      .repetition_penalty = 100,
                      .presence_penalty = 2,
                      .frequency_penalty = 2,
                      .logit_bias = {{9, 100.0}, {0, 1.0}},
                      .seed = {}};
  EXPECT_TRUE(ValidateSampling(high, 10).ok());
}

TEST(SamplingParams, EachFieldOutOfRangeIsNamedWithItsLimits) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  struct Row {
    std::function<void(SamplingParams&)> change;
    std::string what;
  };
  const Row rows[] = {
      {[](auto& p) { p.temperature = -0.5; }, "temperature is -0.5, expected 0 to 100"},
      {[](auto& p) { p.temperature = 101; }, "temperature is 101, expected 0 to 100"},
      {[](auto& p) { p.temperature = kNan; }, "temperature is nan, expected 0 to 100"},
      {[](auto& p) { p.top_k = -1; }, "top_k is -1, expected 0 to 2147483647"},
      {[](auto& p) { p.top_p = 1.5; }, "top_p is 1.5, expected 0 to 1"},
      {[](auto& p) { p.min_p = -0.1; }, "min_p is -0.1, expected 0 to 1"},
      {[](auto& p) { p.repetition_penalty = 0; }, "repetition_penalty is 0, expected 0.01 to 100"},
      {[](auto& p) { p.presence_penalty = 2.5; }, "presence_penalty is 2.5, expected -2 to 2"},
      {[](auto& p) { p.frequency_penalty = -3; }, "frequency_penalty is -3, expected -2 to 2"},
      {[](auto& p) {
         p.logit_bias = {{10, 1.0}};
       },
       "logit_bias names token 10, the vocabulary has 10 tokens"},
      {[](auto& p) {
         p.logit_bias = {{-1, 1.0}};
       },
       "logit_bias names token -1, the vocabulary has 10 tokens"},
      {[](auto& p) {
         p.logit_bias = {{3, 1.0}, {3, 2.0}};
       },
       "logit_bias names token 3 more than once"},
      {[](auto& p) {
         p.logit_bias = {{3, 100.5}};
       },
       "logit_bias of token 3 is 100.5, expected -100 to 100"},
  };
  for (const Row& row : rows) {
    SamplingParams params;
    row.change(params);
    const Status status = ValidateSampling(params, 10);
    ASSERT_FALSE(status.ok()) << row.what;
    EXPECT_EQ(status.error().what, row.what);
    EXPECT_EQ(status.error().kind, ErrorKind::kBadInput);
  }
}

TEST(SamplingParams, TheFixSaysWhereAValueMayComeFrom) {
  SamplingParams params;
  params.top_p = 1.5;
  EXPECT_EQ(ValidateSampling(params, 10).error().fix,
            "give a value in this range; a flag takes the place of generation_config.json's");
  params = {};
  params.logit_bias = {{10, 1.0}};
  EXPECT_EQ(ValidateSampling(params, 10).error().fix, "name ids from 0 to 9");
}

}  // namespace
}  // namespace fathom
