#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/engine_fixture_testing.h"
#include "engine/token_rules.h"
#include "sched/request.h"

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
  request.rules = TokenRules::Make(kVocab, Tokens{7, 9}).value();
  const RequestId id = Submit(request);
  RunToEnd();
  EXPECT_EQ(outcomes_[id].tokens.size(), 10U);
  for (const int32_t token : outcomes_[id].tokens) EXPECT_TRUE(token == 7 || token == 9) << token;
}

TEST_F(EngineTest, BadWordsNeverStandInAnAnswer) {
  Make();
  const Tokens free = Oracle(Greedy({5, 6}, 12));
  GenerationRequest request = Greedy({5, 6}, 12);
  // The third and fourth token of the answer, and the first alone.
  request.rules = TokenRules::Make(kVocab, {}, {{free[2], free[3]}, {free[0]}}).value();
  const RequestId id = Submit(request);
  GenerationRequest later = Greedy({5, 6}, 12);
  later.rules = TokenRules::Make(kVocab, {}, {{free[2], free[3]}}).value();
  const RequestId later_id = Submit(later);
  RunToEnd();
  const Tokens& tokens = outcomes_[id].tokens;
  EXPECT_EQ(tokens.size(), 12U);
  EXPECT_EQ(std::ranges::count(tokens, free[0]), 0);
  const Tokens& others = outcomes_[later_id].tokens;
  EXPECT_EQ(Tokens(others.begin(), others.begin() + 3), Tokens(free.begin(), free.begin() + 3));
  EXPECT_EQ(std::ranges::search(others, Tokens{free[2], free[3]}).size(), 0U);
}

TEST_F(EngineTest, WhereBadWordsLeaveNothingTheRequestEndsWithAnError) {
  Make();
  GenerationRequest request = Greedy({5, 6}, 12);
  request.rules = TokenRules::Make(kVocab, Tokens{7}, {{7, 7}}).value();
  const RequestId id = Submit(request);
  RunToEnd();
  EXPECT_EQ(outcomes_[id].tokens, Tokens{7});
  EXPECT_EQ(outcomes_[id].finish, FinishReason::kError);
  EXPECT_NE(outcomes_[id].error.find("bad_words forbids every token that may come"),
            std::string::npos);
}

TEST_F(EngineTest, PenaltiesCountPromptAndAnswer) {
  Make();
  GenerationRequest request = Greedy({5, 6, 5}, 20);
  request.sampling.repetition_penalty = 1.5;
  request.sampling.frequency_penalty = 1;
  const RequestId id = Submit(request);
  RunToEnd();
  EXPECT_EQ(outcomes_[id].tokens, Oracle(request));
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
