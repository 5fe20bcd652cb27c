#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/engine.h"
#include "engine/engine_fixture_testing.h"
#include "sched/scheduler.h"

namespace fathom {
namespace {

TEST_F(EngineTest, TheStopTokenIsTold) {
  Make();
  const Tokens answer = Oracle(Greedy({5, 6}, 1));
  GenerationRequest request = Greedy({5, 6}, 10);
  request.stop_token_ids = {answer[0]};
  Submit(request);
  const StepResult result = Step();
  ASSERT_EQ(result.events.size(), 1U);
  EXPECT_EQ(result.events[0].stop_token, answer[0]);
}

TEST_F(EngineTest, NoStopTokenComesBeforeMinTokens) {
  Make();
  const Tokens answer = Oracle(Greedy({5, 6}, 10));
  GenerationRequest request = Greedy({5, 6}, 10);
  request.stop_token_ids = {answer[0], answer[2]};
  request.min_tokens = 4;
  const RequestId id = Submit(request);
  RunToEnd();
  const Tokens& tokens = outcomes_[id].tokens;
  ASSERT_GE(tokens.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(std::ranges::count(request.stop_token_ids, tokens[i]), 0) << i;
  }
}

TEST_F(EngineTest, AnswersAreMadeOfAllowedTokensAlone) {
  Make();
  GenerationRequest request = Greedy({5, 6}, 10);
  request.sampling.temperature = 1;
  request.allowed_token_ids = {7, 9};
  const RequestId id = Submit(request);
  RunToEnd();
  EXPECT_EQ(outcomes_[id].tokens.size(), 10U);
  for (const int32_t token : outcomes_[id].tokens) EXPECT_TRUE(token == 7 || token == 9) << token;
}

TEST_F(EngineTest, LogProbsAreThoseOfTheModelsOwnLogits) {
  Make();
  GenerationRequest request = Greedy({5, 6}, 1);
  request.sampling.logit_bias = {{3, 100}};
  request.top_logprobs = 2;
  Submit(request);
  const StepResult result = Step();
  ASSERT_EQ(result.events.size(), 2U);
  const std::vector<float> logits = executor_->LogitsAfter(request.prompt);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  ASSERT_EQ(result.events[0].token, 3);
  const TokenLogProbs& logprobs = result.events[0].logprobs.value();
  EXPECT_NEAR(logprobs.token, logits[3] - std::log(sum), 1e-12);
  ASSERT_EQ(logprobs.top.size(), 2U);
  const auto most = std::ranges::max_element(logits) - logits.begin();
  EXPECT_EQ(logprobs.top[0].first, most);
  EXPECT_NEAR(logprobs.top[0].second, logits[static_cast<size_t>(most)] - std::log(sum), 1e-12);
  EXPECT_GE(logprobs.top[0].second, logprobs.top[1].second);
}

}  // namespace
}  // namespace fathom
