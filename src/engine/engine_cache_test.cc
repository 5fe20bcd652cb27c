// What the engine does with the cache: prefixes found again, swapped sequences, deadlines.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/engine.h"
#include "engine/engine_fixture_testing.h"
#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"

namespace fathom {
namespace {

using EngineCacheTest = EngineTest;

// Requests of one conversation: each continues the one before, several at once.
TEST_F(EngineCacheTest, TokensDoNotDependOnWhatTheCacheHas) {
  const SchedulerConfig configs[] = {
      {.blocks = 200, .block_tokens = 4},
      {.blocks = 200, .block_tokens = 4, .prefix_cache = false},
      {.blocks = 20, .block_tokens = 4, .max_batched_tokens = 7},
      {.blocks = 18, .block_tokens = 4, .swap_blocks = 20},
      {.blocks = 20, .block_tokens = 3, .policy = Policy::kFcfs},
  };
  for (const SchedulerConfig& config : configs) {
    Make(config);
    Tokens conversation = Prompt(9, 77);
    for (int turn = 0; turn < 4; ++turn) {
      std::map<RequestId, GenerationRequest> choices;
      for (uint64_t seed = 0; seed < 3; ++seed) {
        GenerationRequest request = Greedy(conversation, 7);
        request.sampling.temperature = seed == 0 ? 0 : 1;
        request.sampling.seed = seed;
        choices[Submit(request)] = request;
      }
      RunToEnd();
      for (const auto& [id, request] : choices) {
        EXPECT_EQ(outcomes_[id].tokens, Oracle(request)) << config.blocks << " blocks, #" << id;
        const auto size = static_cast<int64_t>(request.prompt.size());
        EXPECT_LT(outcomes_[id].cached_tokens, size);
        if (!config.prefix_cache) {
          EXPECT_EQ(outcomes_[id].cached_tokens, 0);
        }
        // All whole blocks of the turn before were there. Its answer's last token was not computed.
        if (config.blocks == 200 && config.prefix_cache && turn > 0) {
          EXPECT_GE(outcomes_[id].cached_tokens, (size - 2) / 4 * 4);
        }
      }
      const Tokens& answer = outcomes_[choices.begin()->first].tokens;
      conversation.insert(conversation.end(), answer.begin(), answer.end());
      conversation.push_back(static_cast<int32_t>(turn));
    }
  }
}

TEST_F(EngineCacheTest, SwappedSequencesGoOnWhereTheyWere) {
  Make({.blocks = 11, .block_tokens = 4, .swap_blocks = 11});
  int64_t prompt_tokens = 0;
  int64_t prompt_sizes = 0;
  const std::vector<GenerationRequest> requests = MixedRequests();
  for (const GenerationRequest& request : requests) {
    prompt_sizes += static_cast<int64_t>(request.prompt.size());
    Submit(request);
  }
  while (!engine_->idle()) prompt_tokens += Step().prompt_tokens;
  const SchedulerTotals& totals = engine_->scheduler().totals();
  EXPECT_GT(totals.swapped_out, 0);
  EXPECT_EQ(totals.swapped_out, totals.swapped_in);
  EXPECT_EQ(totals.recomputed, 0);
  EXPECT_EQ(prompt_tokens + totals.cached_tokens, prompt_sizes);
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(outcomes_[static_cast<RequestId>(i)].tokens, Oracle(requests[i]));
  }
}

TEST_F(EngineCacheTest, WhatIsNotDoneInTimeEndsWithItsNumbers) {
  Make({.blocks = 64, .block_tokens = 4, .max_sequences = 1});
  GenerationRequest running = Greedy({1, 2}, 10);
  running.deadline_s = clock_.Seconds() + 2;
  GenerationRequest waiting = Greedy({3}, 5);
  waiting.deadline_s = clock_.Seconds() + 1;
  const RequestId first = Submit(running);
  const RequestId second = Submit(waiting);
  const RequestId patient = Submit(Greedy({4}, 2));
  Step();
  clock_.Pass(1.5);
  Step();
  EXPECT_EQ(outcomes_[second].finish, FinishReason::kTimeout);
  EXPECT_EQ(
      outcomes_[second].error,
      "error: the request was not done in time: 1.500 s after its arrival it had 0 of at most "
      "5 tokens\n  fix: allow it more time, ask for fewer tokens, or send fewer requests at "
      "once\n");
  clock_.Pass(0.5);
  Step();
  EXPECT_EQ(outcomes_[first].finish, FinishReason::kTimeout);
  EXPECT_EQ(outcomes_[first].tokens.size(), 2U);
  RunToEnd();
  EXPECT_EQ(outcomes_[patient].tokens, Oracle(Greedy({4}, 2)));
  EXPECT_EQ(outcomes_[patient].finish, FinishReason::kLength);
}

// A clock that is broken: by the rules of mindie nobody has ever waited long enough.
TEST_F(EngineCacheTest, WhatCanNeverGoOnEndsInsteadOfSpinning) {
  Make({.blocks = 64, .block_tokens = 4, .policy = Policy::kMindie});
  clock_.Pass(std::nan(""));
  const RequestId id = Submit(Greedy({1, 2, 3}, 2));
  RunToEnd();
  EXPECT_EQ(outcomes_[id].finish, FinishReason::kError);
  EXPECT_EQ(outcomes_[id].error,
            "error: the scheduler cannot go on: the sequence has 3 tokens, 0 of them computed, and "
            "needs 1 cache blocks of 4; it holds 0, of all 64 blocks 64 are free and 0 cached; 0 "
            "sequences run, 1 wait; a step has 512 tokens and 64 rows of logits\n"
            "  fix: start with a larger cache; if the numbers say that it should have fitted, this "
            "is a bug in the scheduler: report it with them\n");
}

TEST_F(EngineCacheTest, AQueueDelayIsSaidToTheCaller) {
  Make({.blocks = 64, .block_tokens = 4, .policy = Policy::kMindie});
  const RequestId id = Submit(Greedy({1, 2, 3}, 2));
  const StepResult waiting = Step();
  EXPECT_TRUE(waiting.events.empty());
  ASSERT_TRUE(waiting.wait_until_s.has_value());
  clock_.Pass(*waiting.wait_until_s - clock_.Seconds());
  EXPECT_EQ(Step().sampled_tokens, 1);
  RunToEnd();
  EXPECT_EQ(outcomes_[id].finish, FinishReason::kLength);
}

TEST_F(EngineCacheTest, ALowerPriorityGoesFirst) {
  Make({.blocks = 64, .block_tokens = 4, .max_sequences = 1});
  GenerationRequest urgent = Greedy({2}, 1);
  urgent.priority = -1;
  const RequestId usual = Submit(Greedy({1}, 1));
  const RequestId first = Submit(urgent);
  const StepResult step = Step();
  ASSERT_EQ(step.events.size(), 2U);
  EXPECT_EQ(step.events[0].id, first);
  EXPECT_EQ(Step().events[0].id, usual);
}

}  // namespace
}  // namespace fathom
