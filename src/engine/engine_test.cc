#include "engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "engine/engine_fixture_testing.h"
#include "engine/token_rules.h"
#include "model/model.h"
#include "sched/request.h"
#include "sched/scheduler_config.h"

namespace fathom {
namespace {

std::string NotANumber(int position) {
  return Format(
      "error: the logit of token 0 is nan\n  where: logits after position {}\n"
      "  fix: a weight is damaged, or a sum left the range of its type: try --dtype float32; if "
      "that does not help, fetch the checkpoint again\n",
      position);
}

TEST_F(EngineTest, AnswersTokenByTokenUpToMaxTokens) {
  Make();
  const RequestId id = Submit(Greedy({1, 2, 3}, 4));
  EXPECT_FALSE(engine_->idle());
  const StepResult first = Step();
  EXPECT_EQ(first.prompt_tokens, 3);
  EXPECT_EQ(first.sampled_tokens, 1);
  ASSERT_EQ(first.events.size(), 1U);
  EXPECT_EQ(Step().prompt_tokens, 0);
  RunToEnd();
  EXPECT_EQ(outcomes_[id].tokens.size(), 4U);
  EXPECT_EQ(outcomes_[id].tokens, Oracle(Greedy({1, 2, 3}, 4)));
  EXPECT_EQ(outcomes_[id].finish, FinishReason::kLength);
  EXPECT_TRUE(Step().events.empty());
}

TEST_F(EngineTest, AStopTokenEndsTheAnswerAndIsNotPartOfIt) {
  Make();
  const Tokens answer = Oracle(Greedy({5, 6}, 10));
  GenerationRequest request = Greedy({5, 6}, 10);
  request.stop_token_ids = {-5, 1000, answer[3]};
  const auto first = std::ranges::find(answer, answer[3]);
  const RequestId id = Submit(request);
  RunToEnd();
  EXPECT_EQ(outcomes_[id].tokens, Tokens(answer.begin(), first));
  EXPECT_EQ(outcomes_[id].finish, FinishReason::kStop);
}

TEST_F(EngineTest, MaxTokensIsCutToWhatTheModelLengthLeaves) {
  Make({.blocks = 64, .block_tokens = 4}, 8);
  const RequestId id = Submit(Greedy({1, 2, 3, 4, 5}, 1000));
  const RequestId last = Submit(Greedy({1, 2, 3, 4, 5, 6, 7}, 1000));
  RunToEnd();
  EXPECT_EQ(outcomes_[id].tokens.size(), 3U);
  EXPECT_EQ(outcomes_[last].tokens.size(), 1U);
  EXPECT_EQ(outcomes_[id].finish, FinishReason::kLength);
}

TEST_F(EngineTest, CancelledRequestsEndWithTheNextStepWhereverTheyAre) {
  Make({.blocks = 64, .block_tokens = 4, .max_sequences = 1});
  const RequestId running = Submit(Greedy({1}, 10));
  const RequestId waiting = Submit(Greedy({2}, 10));
  const RequestId last = Submit(Greedy({3}, 2));
  Step();
  engine_->Cancel(running);
  engine_->Cancel(waiting);
  engine_->Cancel(running);  // ended already
  engine_->Cancel(999);      // never was
  EXPECT_FALSE(engine_->idle());
  Step();
  EXPECT_EQ(outcomes_[running].finish, FinishReason::kCancelled);
  EXPECT_EQ(outcomes_[running].tokens.size(), 1U);
  EXPECT_EQ(outcomes_[waiting].finish, FinishReason::kCancelled);
  EXPECT_TRUE(outcomes_[waiting].tokens.empty());
  RunToEnd();
  EXPECT_EQ(outcomes_[last].tokens, Oracle(Greedy({3}, 2)));
}

TEST_F(EngineTest, ACancelWithNothingElseToDoIsStillReported) {
  Make();
  const RequestId id = Submit(Greedy({1}, 10));
  engine_->Cancel(id);
  EXPECT_FALSE(engine_->idle());
  Step();
  EXPECT_TRUE(engine_->idle());
  EXPECT_EQ(outcomes_[id].finish, FinishReason::kCancelled);
}

TEST_F(EngineTest, TokensDependOnTheRequestAlone) {
  const SchedulerConfig configs[] = {
      {.blocks = 200, .block_tokens = 4},
      {.blocks = 200, .block_tokens = 4, .max_batched_tokens = 1},
      {.blocks = 200, .block_tokens = 16, .max_batched_tokens = 7, .max_sequences = 3},
      {.blocks = 11, .block_tokens = 4},  // preempts
      {.blocks = 11, .block_tokens = 4, .prefix_cache = false},
      {.blocks = 11, .block_tokens = 4, .swap_blocks = 11},
      {.blocks = 11, .block_tokens = 4, .max_sequences = 2, .policy = Policy::kFcfs},
      {.blocks = 44, .block_tokens = 1, .max_batched_tokens = 5},
  };
  for (const SchedulerConfig& config : configs) {
    Make(config);
    const std::vector<GenerationRequest> requests = MixedRequests();
    for (const GenerationRequest& request : requests) Submit(request);
    RunToEnd();
    for (size_t i = 0; i < requests.size(); ++i) {
      const auto id = static_cast<RequestId>(i);
      EXPECT_EQ(outcomes_[id].tokens, Oracle(requests[i])) << config.blocks << " blocks, #" << i;
      EXPECT_TRUE(outcomes_[id].finish == FinishReason::kLength ||
                  outcomes_[id].finish == FinishReason::kStop);
    }
  }
}

TEST_F(EngineTest, SmallCachesDoPreempt) {
  Make({.blocks = 11, .block_tokens = 4, .prefix_cache = false});
  int64_t prompt_tokens = 0;
  int64_t prompt_sizes = 0;
  for (const GenerationRequest& request : MixedRequests()) {
    prompt_sizes += static_cast<int64_t>(request.prompt.size());
    Submit(request);
  }
  while (!engine_->idle()) prompt_tokens += Step().prompt_tokens;
  EXPECT_GT(prompt_tokens, prompt_sizes);  // some were computed twice: the test above means it
}

TEST_F(EngineTest, WithoutASeedRequestsDrawDifferentNumbers) {
  Make();
  GenerationRequest request;
  request.prompt = {1};
  request.max_tokens = 30;
  const RequestId first = Submit(request);
  const RequestId second = Submit(request);
  RunToEnd();
  // Fifty tokens, about uniform: equal by chance once in 10^40.
  EXPECT_NE(outcomes_[first].tokens, outcomes_[second].tokens);
}

TEST_F(EngineTest, ScoredRequestsReportEachPositionOnceAndInOrder) {
  for (const int64_t logit_rows : {1, 3, 64}) {
    for (const int64_t blocks : {8, 64}) {
      Make({.blocks = blocks,
            .block_tokens = 4,
            .max_batched_tokens = 16,
            .max_sequences = std::min<int64_t>(logit_rows, 4),
            .max_logit_rows = logit_rows},
           32);
      executor_->on_run = [&](const ForwardBatch& batch) {
        EXPECT_LE(static_cast<int64_t>(batch.logit_rows.size()), logit_rows);
        EXPECT_TRUE(batch.mtp_next.empty());
      };
      const RequestId answered = Submit(Greedy({4, 4}, 20));
      std::vector<Tokens> prompts;
      for (const int64_t size : {1, 9, 32, 17}) prompts.push_back(Prompt(size, 5));
      for (const Tokens& prompt : prompts) Submit(Score(prompt));
      RunToEnd();
      EXPECT_EQ(outcomes_[answered].tokens, Oracle(Greedy({4, 4}, 20)));
      for (size_t i = 0; i < prompts.size(); ++i) {
        const Outcome& outcome = outcomes_[static_cast<RequestId>(i) + 1];
        EXPECT_EQ(outcome.finish, FinishReason::kLength);
        EXPECT_TRUE(outcome.tokens.empty());
        EXPECT_TRUE(outcome.mtp_logits.empty());
        ASSERT_EQ(outcome.logits.size(), prompts[i].size());
        for (size_t t = 0; t < prompts[i].size(); ++t) {
          EXPECT_EQ(outcome.logits[t], executor_->LogitsAfter({prompts[i].data(), t + 1}));
        }
      }
    }
  }
}

// Scored sequences are preempted when an older answer grows into their blocks.
TEST_F(EngineTest, ScoresArePreemptedWithoutReportingAPositionTwice) {
  Make({.blocks = 5, .block_tokens = 2, .max_sequences = 2, .max_logit_rows = 2}, 10);
  const Tokens prompt = Prompt(6, 1);
  const RequestId answered = Submit(Greedy({7}, 9));
  const RequestId scored = Submit(Score(prompt));
  int64_t prompt_tokens = 0;
  while (!engine_->idle()) prompt_tokens += Step().prompt_tokens;
  EXPECT_EQ(outcomes_[answered].tokens, Oracle(Greedy({7}, 9)));
  EXPECT_GT(prompt_tokens, 1 + 6);
  ASSERT_EQ(outcomes_[scored].logits.size(), 6U);
  for (size_t t = 0; t < prompt.size(); ++t) {
    EXPECT_EQ(outcomes_[scored].logits[t], executor_->LogitsAfter({prompt.data(), t + 1}));
  }
}

TEST_F(EngineTest, MtpRowsAreToldTheSuccessorsInsideThePrompt) {
  for (const int64_t batched_tokens : {1, 3, 64}) {
    Make({.blocks = 64, .block_tokens = 4, .max_batched_tokens = batched_tokens}, 32, true);
    const Tokens prompt = Prompt(11, 3);
    const RequestId plain = Submit(Score(Prompt(5, 4)));
    const RequestId answered = Submit(Greedy({4, 4}, 5));
    const RequestId id = Submit(Score(prompt, true));
    RunToEnd();
    EXPECT_EQ(outcomes_[plain].logits.size(), 5U);
    EXPECT_TRUE(outcomes_[plain].mtp_logits.empty());
    EXPECT_EQ(outcomes_[answered].tokens, Oracle(Greedy({4, 4}, 5)));
    ASSERT_EQ(outcomes_[id].logits.size(), 11U);
    ASSERT_EQ(outcomes_[id].mtp_logits.size(), 10U);
    for (size_t t = 0; t < 10; ++t) {
      EXPECT_EQ(outcomes_[id].mtp_logits[t],
                executor_->MtpLogitsAfter({prompt.data(), t + 1}, {prompt.data() + 1, t + 1}));
    }
  }
}

TEST_F(EngineTest, LogitsThatAreNoNumbersEndTheirRequestAlone) {
  Make();
  const RequestId good = Submit(Greedy({1, 2, 3}, 6));
  const RequestId bad = Submit(Greedy({4, 5, 49}, 6));
  const RequestId scored = Submit(Score({1, 49, 2}));
  const Tokens expected = Oracle(Greedy({1, 2, 3}, 6));
  ASSERT_EQ(std::ranges::count(expected, 49), 0);
  executor_->Poison(49);
  RunToEnd();
  EXPECT_EQ(outcomes_[good].tokens, expected);
  EXPECT_EQ(outcomes_[good].error, "");
  EXPECT_EQ(outcomes_[bad].finish, FinishReason::kError);
  EXPECT_EQ(outcomes_[bad].error, NotANumber(2));
  EXPECT_EQ(outcomes_[scored].finish, FinishReason::kError);
  EXPECT_EQ(outcomes_[scored].error, NotANumber(1));
}

TEST_F(EngineTest, RefusesWithTheNumbers) {
  Make({.blocks = 8, .block_tokens = 4}, 40);
  struct Row {
    std::function<void(GenerationRequest&)> change;
    std::string what;
    std::string fix;
    ErrorKind kind = ErrorKind::kBadInput;
  };
  const Row rows[] = {
      {[](auto& r) { r.prompt.clear(); }, "the prompt is empty",
       "give at least one token, such as the model's begin-of-sentence token"},
      {[](auto& r) {
         r.prompt = {3, 50};
       },
       "token 1 of the prompt is 50, the vocabulary has 50 tokens",
       "use the tokenizer of this checkpoint"},
      {[](auto& r) { r.prompt = {-1}; },
       "token 0 of the prompt is -1, the vocabulary has 50 tokens",
       "use the tokenizer of this checkpoint"},
      {[](auto& r) { r.prompt.assign(40, 1); },
       "the prompt has 40 tokens, max_model_len is 40 for prompt and answer together",
       "shorten the prompt, or start with a larger --max-model-len"},
      {[](auto& r) { r.prompt.assign(41, 1), r.score = true; },
       "the prompt has 41 tokens, max_model_len is 40",
       "shorten the prompt, or start with a larger --max-model-len"},
      {[](auto& r) { r.max_tokens = 0; }, "max_tokens is 0, expected at least 1",
       "ask for one token or more"},
      {[](auto& r) { r.min_tokens = 2; }, "min_tokens is 2, expected 0 to max_tokens, which is 1",
       "lower min_tokens, or raise max_tokens"},
      {[](auto& r) {
         r.stop_token_ids = {3}, r.min_tokens = 1;
         r.rules = TokenRules::Make(kVocab, r.stop_token_ids).value();
       },
       "min_tokens is 1, and every allowed token ends the answer",
       "allow a token that is not a stop token, or set min_tokens to 0"},
      {[](auto& r) { r.top_logprobs = 51; }, "top_logprobs is 51, the vocabulary has 50 tokens",
       "ask for 0 to 50"},
      {[](auto& r) { r.sampling.top_p = 2; }, "top_p is 2, expected 0 to 1",
       "give a value in this range; a flag takes the place of generation_config.json's"},
      {[](auto& r) {
         r.sampling.logit_bias = {{50, 1.0}};
       },
       "logit_bias names token 50, the vocabulary has 50 tokens", "name ids from 0 to 49"},
      {[](auto& r) { r.score_mtp = true; }, "score_mtp is set on a request that is not scored",
       "set score too"},
      {[](auto& r) { r.score = r.score_mtp = true; },
       "MTP logits are asked for, and the model has no MTP layer loaded",
       "load the model with its MTP layer, or score without MTP"},
      {[](auto& r) { r.prompt.assign(30, 1), r.max_tokens = 3; },
       "prompt and answer of 33 tokens need 9 cache blocks, the cache has 8 (32 tokens)",
       "ask for fewer tokens (max_tokens), or start with a larger cache", ErrorKind::kDoesNotFit},
  };
  for (const Row& row : rows) {
    GenerationRequest request = Greedy({1}, 1);
    row.change(request);
    const Result<RequestId> id = engine_->Submit(request);
    ASSERT_FALSE(id.ok()) << row.what;
    EXPECT_EQ(id.error().what, row.what);
    EXPECT_EQ(id.error().fix, row.fix);
    EXPECT_EQ(id.error().kind, row.kind);
  }
  EXPECT_TRUE(engine_->idle());
}

TEST_F(EngineTest, WhatJustFitsIsTaken) {
  Make({.blocks = 8, .block_tokens = 4}, 40);
  GenerationRequest request = Greedy(Tokens(30, 1), 2);
  const RequestId id = Submit(request);
  const RequestId scored = Submit(Score(Tokens(32, 1)));
  RunToEnd();
  EXPECT_EQ(outcomes_[id].tokens, Oracle(request));
  EXPECT_EQ(outcomes_[scored].logits.size(), 32U);
}

// Any order of submits, cancels and steps: each request ends exactly once, with the tokens it would
// have had alone (or, cancelled, their beginning).
TEST_F(EngineTest, EachRequestEndsOnceUnderRandomArrivalsAndCancels) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    std::mt19937_64 random(seed);
    Make({.blocks = 12,
          .block_tokens = 3,
          .max_batched_tokens = 1 + static_cast<int64_t>(seed) % 9});
    std::map<RequestId, GenerationRequest> requests;
    for (int i = 0; i < 120; ++i) {
      const uint64_t operation = random() % 6;
      if (operation == 0) {
        GenerationRequest request =
            Greedy(Prompt(1 + static_cast<int64_t>(random() % 16), random()),
                   1 + static_cast<int64_t>(random() % 16));
        requests[Submit(request)] = request;
      } else if (operation == 1 && !requests.empty()) {
        engine_->Cancel(static_cast<RequestId>(random() % requests.size()));
      } else {
        Step();
      }
    }
    RunToEnd();
    for (const auto& [id, request] : requests) {
      const Outcome& outcome = outcomes_[id];
      ASSERT_TRUE(outcome.finish.has_value());
      Tokens expected = Oracle(request);
      if (outcome.finish == FinishReason::kCancelled) expected.resize(outcome.tokens.size());
      EXPECT_EQ(outcome.tokens, expected);
    }
  }
}

TEST(FinishReason, HasTheNamesOfTheProtocol) {
  EXPECT_EQ(FinishReasonName(FinishReason::kStop), "stop");
  EXPECT_EQ(FinishReasonName(FinishReason::kLength), "length");
  EXPECT_EQ(FinishReasonName(FinishReason::kCancelled), "cancelled");
  EXPECT_EQ(FinishReasonName(FinishReason::kError), "error");
  EXPECT_EQ(FinishReasonName(FinishReason::kTimeout), "timeout");
}

}  // namespace
}  // namespace fathom
