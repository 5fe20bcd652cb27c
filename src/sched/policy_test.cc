#include "sched/policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sched/decision.h"
#include "sched/explain.h"
#include "sched/mindie_policy.h"
#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"
#include "sched/step_plan.h"
#include "sched/step_time.h"

namespace fathom {
namespace {

const StepPredictor kNoTime = [](const StepShape&) { return 0.0; };

TEST(PolicyFcfs, PromptsFirst) {
  const struct {
    Load load;
    Stage stage;
    Rule rule;
  } rows[] = {
      {{.waiting = 1, .decoding = 9}, Stage::kPrefill, Rule::kPrefillFirst},
      {{.waiting = 0, .decoding = 9}, Stage::kDecode, Rule::kNothingToPrefill},
      {{.waiting = 1, .decoding = 9, .swapped = 1}, Stage::kDecode, Rule::kSwappedOut},
      {{.waiting = 1, .decoding = 9, .prompts = 1, .swapped = 1},
       Stage::kPrefill,
       Rule::kPromptGoesOn},
  };
  for (const auto& row : rows) {
    Decision decision;
    EXPECT_EQ(ChooseFcfs(row.load, decision), row.stage);
    EXPECT_EQ(decision.rule, row.rule);
  }
}

// "Default = prefill first, except decode when: something is swapped out; or 'should prefill at
// once' is false; or free NPU blocks < 5 % of the total." (3.1)
// "Should prefill at once: the waiting queue is not empty and (the oldest request has waited >=
// maxQueueDelayMicroseconds, or maxQueueDelay > 5000 us and waiting count >= maxPrefillBatchSize)."
TEST(PolicyMindie, PrefillFirstWithItsThreeExceptions) {
  struct Row {
    std::string name;
    double delay_s;
    int64_t waiting;
    double waited_s;
    int64_t swapped;
    int64_t free_blocks;  // of 1000
    Stage stage;
    Rule rule;
  };
  const Row rows[] = {
      {"waited exactly the delay", 0.005, 1, 0.005, 0, 900, Stage::kPrefill, Rule::kPrefillAtOnce},
      {"waited less", 0.005, 1, 0.004, 0, 900, Stage::kDecode, Rule::kQueueDelay},
      {"nobody waits", 0.005, 0, 0, 0, 900, Stage::kDecode, Rule::kQueueDelay},
      {"something is swapped out", 0.005, 1, 1, 1, 900, Stage::kDecode, Rule::kSwappedOut},
      {"a full batch, delay not above 5 ms", 0.005, 4, 0, 0, 900, Stage::kDecode,
       Rule::kQueueDelay},
      {"a full batch, delay above 5 ms", 0.050, 4, 0, 0, 900, Stage::kPrefill,
       Rule::kPrefillAtOnce},
      {"a batch that lacks one", 0.050, 3, 0.049, 0, 900, Stage::kDecode, Rule::kQueueDelay},
      {"4.9 % of the blocks are free", 0.005, 1, 1, 0, 49, Stage::kDecode, Rule::kFewFreeBlocks},
      {"5 % are", 0.005, 1, 1, 0, 50, Stage::kPrefill, Rule::kPrefillAtOnce},
  };
  for (const Row& row : rows) {
    MindiePolicy policy;
    policy.max_queue_delay_s = row.delay_s;
    policy.max_prefill_batch_size = 4;
    MindieState state;
    Decision decision;
    const Load load{.now_s = 100,
                    .waiting = row.waiting,
                    .oldest_arrival_s = 100 - row.waited_s,
                    .decoding = 7,
                    .swapped = row.swapped,
                    .free_blocks = row.free_blocks,
                    .blocks = 1000};
    EXPECT_EQ(ChooseMindie(policy, load, kNoTime, state, decision), row.stage) << row.name;
    EXPECT_EQ(decision.rule, row.rule) << row.name;
  }
}

// "Policy 1 (throughput). When requests wait: prefill cost = prefillTimeMsPerReq x number of
// decoding requests. Decode waste accumulates: + decodeTimeMsPerReq x (maxBatchSize - number
// decoding) each decode step. If cost > accumulated waste -> decode; otherwise reset the waste to 0
// and prefill. With an empty queue: waste = 0, decode." (3.1)
TEST(PolicyMindie, ThroughputWeighsTheCostOfAPrefillAgainstTheWasteOfDecoding) {
  MindiePolicy policy;
  policy.stage_select_policy = 1;
  policy.prefill_ms_per_req = 150;
  policy.decode_ms_per_req = 50;
  policy.max_batch_size = 10;
  MindieState state;
  struct Row {
    int64_t waiting;
    int64_t decoding;
    Stage stage;
    double waste_after;
  };
  const Row rows[] = {
      {1, 8, Stage::kDecode, 100},  // 1200 > 0; wasted 50 * 2
      {1, 8, Stage::kDecode, 200},  // 1200 > 100
      {1, 1, Stage::kPrefill, 0},   // 150 <= 200: enough was wasted
      {1, 2, Stage::kDecode, 400},  // 300 > 0; wasted 50 * 8
      {1, 2, Stage::kPrefill, 0},   // 300 <= 400
      {2, 10, Stage::kDecode, 0},   // 1500 > 0; a full batch wastes nothing
      {2, 4, Stage::kDecode, 300},  // 600 > 0; wasted 50 * 6
      {0, 4, Stage::kDecode, 0},    // nobody waits: begins anew
      {1, 0, Stage::kPrefill, 0},   // nothing decodes, so nothing is lost: 0 <= 0
      {1, 12, Stage::kDecode, 0},   // more than the batch: no negative waste
  };
  int line = 0;
  for (const Row& row : rows) {
    Decision decision;
    const Load load{.waiting = row.waiting, .decoding = row.decoding, .blocks = 10};
    EXPECT_EQ(ChooseMindie(policy, load, kNoTime, state, decision), row.stage) << line;
    EXPECT_EQ(state.decode_waste_ms, row.waste_after) << line++;
  }
}

// "Policy 2 (SLO / least laxity). laxity = (deadline - time waited - predicted time) / deadline,
// for the first waiting prefill against prefillExpectedTime, and for decode against
// decodeExpectedTime; smaller laxity goes first; nothing running -> prefill; nothing waiting ->
// decode." (3.1)
TEST(PolicyMindie, LaxityGivesTheStepToWhoHasLessTimeToSpare) {
  MindiePolicy policy;
  policy.stage_select_policy = 2;
  policy.prefill_expected_s = 1.5;
  policy.decode_expected_s = 0.05;
  const StepPredictor predict = [](const StepShape& shape) {
    return 0.001 * static_cast<double>(shape.prefill_tokens) +
           0.002 * static_cast<double>(shape.decoding);
  };
  struct Row {
    int64_t waiting;
    int64_t decoding;
    double prompt_waited_s;
    double decode_waited_s;
    Rule rule;
  };
  // A prompt of 300 tokens takes 0.3 s; decoding 5 takes 0.01 s.
  const Row rows[] = {
      {1, 0, 0, 0, Rule::kLaxityOnlyPrefill},  {0, 5, 0, 0, Rule::kLaxityOnlyDecode},
      {1, 5, 0, 0, Rule::kLaxityDecode},      // (1.5 - 0.3) / 1.5 = 0.8; (0.05 - 0.01) / 0.05 = 0.8
      {1, 5, 0.01, 0, Rule::kLaxityPrefill},  // 0.793 < 0.8
      {1, 5, 0.3, 0.02, Rule::kLaxityDecode},   // 0.6; 0.4
      {1, 5, 1.2, 0.02, Rule::kLaxityPrefill},  // 0; 0.4
      {1, 5, 1.2, 0.06, Rule::kLaxityDecode},   // 0; -0.4: both late, decoding is later
  };
  for (const Row& row : rows) {
    MindieState state;
    Decision decision;
    const Load load{.now_s = 10,
                    .waiting = row.waiting,
                    .decoding = row.decoding,
                    .blocks = 10,
                    .next_arrival_s = 10 - row.prompt_waited_s,
                    .next_prompt_tokens = 300,
                    .last_token_s = 10 - row.decode_waited_s};
    ChooseMindie(policy, load, predict, state, decision);
    EXPECT_EQ(decision.rule, row.rule) << row.prompt_waited_s << " " << row.decode_waited_s;
  }
}

// "Dynamic batch size: binary search of the decode batch so that decode time = decodeExpectedTime
// +- 5 ms, step +-2, floor 3." (3.1)
TEST(PolicyMindie, TheDecodeBatchFollowsThePredictedTimeInStepsOfTwo) {
  MindiePolicy policy;
  policy.max_batch_size = 20;
  policy.decode_expected_s = 0.050;
  MindieState state;
  double per_sequence = 0.005;  // 55 ms hold 11
  const StepPredictor predict = [&](const StepShape& shape) {
    return per_sequence * static_cast<double>(shape.decoding);
  };
  std::vector<int64_t> sizes;
  for (int i = 0; i < 6; ++i) {
    AdjustDecodeBatch(policy, predict, state);
    sizes.push_back(state.decode_batch);
  }
  EXPECT_EQ(sizes, (std::vector<int64_t>{18, 16, 14, 12, 11, 11}));
  per_sequence = 1;
  for (int i = 0; i < 6; ++i) AdjustDecodeBatch(policy, predict, state);
  EXPECT_EQ(state.decode_batch, 3);
  per_sequence = 0;
  AdjustDecodeBatch(policy, predict, state);
  EXPECT_EQ(state.decode_batch, 5);
}

TEST(StepTimes, FitsALinePerStage) {
  StepTimes times;
  EXPECT_EQ(times.Predict({.prefill_tokens = 10, .decoding = 0}), 0);
  times.Observe({.prefill_tokens = 100, .decoding = 0}, 0.2);
  EXPECT_DOUBLE_EQ(times.Predict({.prefill_tokens = 50, .decoding = 0}), 0.1);
  times.Observe({.prefill_tokens = 300, .decoding = 0}, 0.4);
  EXPECT_NEAR(times.Predict({.prefill_tokens = 200, .decoding = 0}), 0.3, 1e-9);
  EXPECT_NEAR(times.Predict({.prefill_tokens = 500, .decoding = 0}), 0.6, 1e-9);
  times.Observe({.prefill_tokens = 5, .decoding = 5}, 100);  // says nothing about either
  for (const int n : {8, 8, 8}) times.Observe({.prefill_tokens = 0, .decoding = n}, 0.04);
  EXPECT_NEAR(times.Predict({.prefill_tokens = 0, .decoding = 16}), 0.08, 1e-9);
  EXPECT_NEAR(times.Predict({.prefill_tokens = 200, .decoding = 8}), 0.34, 1e-9);
}

// The policies inside the scheduler.
class MindieSteps : public testing::Test {
 protected:
  static SchedulerConfig Config() {
    SchedulerConfig config{.blocks = 40, .block_tokens = 4, .max_batched_tokens = 64};
    config.policy = Policy::kMindie;
    config.prefix_cache = false;
    config.mindie.max_prefill_batch_size = 2;
    config.mindie.max_prefill_tokens = 12;
    config.mindie.max_seq_len = 16;
    return config;
  }
  static void Add(Scheduler& scheduler, RequestId id, int64_t tokens, double arrival_s) {
    scheduler.Add(
        {.id = id,
         .tokens = std::vector<int32_t>(static_cast<size_t>(tokens), static_cast<int32_t>(id)),
         .arrival_s = arrival_s,
         .max_tokens = 8});
  }
  static std::vector<RequestId> Step(Scheduler& scheduler, double now_s) {
    const StepPlan& plan = scheduler.Plan(now_s);
    std::vector<RequestId> ids;
    std::vector<RequestId> sampling;
    for (const PlannedSequence& planned : plan.sequences) {
      ids.push_back(planned.id);
      if (planned.sample) sampling.push_back(planned.id);
    }
    last_ = plan;
    for (const RequestId id : sampling) scheduler.Extend(id, 0);
    return ids;
  }
  static inline StepPlan last_;  // NOLINT
};
using Ids = std::vector<RequestId>;

// "First of maxPrefillBatchSize / maxPrefillTokens closes the batch"; "token budget =
// max(maxSeqLen, maxPrefillTokens)"; "FCFS with head-of-line blocking". (1.5, 3.2)
TEST_F(MindieSteps, ABatchIsClosedByItsRequestsOrItsTokens) {
  Scheduler scheduler(Config());
  for (const RequestId id : {1, 2, 3}) Add(scheduler, id, 2, 0);
  EXPECT_EQ(Step(scheduler, 1), (Ids{1, 2}));
  EXPECT_EQ(last_.decision.left_out, LeftOut::kBatch);
  EXPECT_EQ(last_.decision.left_out_id, 3);
  Add(scheduler, 4, 15, 0);
  // 3 and 4 would be 17 tokens, one more than maxSeqLen; 5 would fit, but is behind 4.
  Add(scheduler, 5, 1, 0);
  EXPECT_EQ(Step(scheduler, 1), (Ids{3}));
  EXPECT_EQ(last_.decision.left_out, LeftOut::kTokens);
  EXPECT_EQ(last_.decision.need, 15);
  EXPECT_EQ(last_.decision.have, 14);
  EXPECT_EQ(Step(scheduler, 1), (Ids{4, 5}));
  EXPECT_EQ(Step(scheduler, 1), (Ids{1, 2, 3, 4, 5}));
  EXPECT_EQ(last_.decision.stage, Stage::kDecode);
}

TEST_F(MindieSteps, WithNothingRunningTheDelayIsWaitedFor) {
  Scheduler scheduler(Config());
  Add(scheduler, 1, 2, 10);
  EXPECT_EQ(Step(scheduler, 10.001), Ids{});
  ASSERT_TRUE(last_.wait_until_s.has_value());
  EXPECT_DOUBLE_EQ(*last_.wait_until_s, 10.005);
  EXPECT_EQ(Step(scheduler, *last_.wait_until_s), Ids{1});
}

// "Last schedule produced nothing and something is running -> decode." (3.1, 2)
TEST_F(MindieSteps, APrefillThatGivesNothingBecomesADecodeStep) {
  SchedulerConfig config = Config();
  config.max_sequences = 1;
  Scheduler scheduler(config);
  Add(scheduler, 1, 2, 0);
  Add(scheduler, 2, 2, 0);
  EXPECT_EQ(Step(scheduler, 1), Ids{1});
  EXPECT_EQ(Step(scheduler, 1), Ids{1});
  EXPECT_EQ(last_.decision.rule, Rule::kLastWasEmpty);
  EXPECT_EQ(last_.decision.gave_nothing, Stage::kPrefill);
  EXPECT_EQ(last_.decision.left_out, LeftOut::kStage);
}

// "A request waiting longer than maxFirstTokenWaitTime with no output -> one running request
// (newest) is preempted for it." (3.2)
TEST_F(MindieSteps, WhoWaitsTooLongForItsFirstTokenTakesTheNewestOnesBlocks) {
  SchedulerConfig config = Config();
  config.blocks = 6;
  config.mindie.max_first_token_wait_s = 2.5;
  config.mindie.stage_select_policy = 1;
  config.mindie.prefill_ms_per_req = 0;
  Scheduler scheduler(config);
  Add(scheduler, 1, 7, 0);
  Add(scheduler, 2, 7, 0);
  EXPECT_EQ(Step(scheduler, 0), (Ids{1, 2}));
  Add(scheduler, 3, 6, 0.5);                   // two blocks and one to spare: two are free
  EXPECT_EQ(Step(scheduler, 3), (Ids{1, 2}));  // waited 2.5 s, not longer
  EXPECT_EQ(Step(scheduler, 3.1), Ids{3});
  ASSERT_EQ(last_.preempted.size(), 1U);
  EXPECT_EQ(last_.preempted[0].id, 2);
  EXPECT_EQ(last_.preempted[0].in_favour_of, 3);
  EXPECT_EQ(last_.preempted[0].reason, Preemption::Reason::kFirstTokenWait);
}

// "Swap only if swaps so far < maxPreemptCount and CPU blocks are free; else recompute." (3.3)
TEST_F(MindieSteps, AtMostMaxPreemptCountAreSwappedOutInAStep) {
  for (const int64_t count : {0, 1, 2}) {
    SchedulerConfig config = Config();
    config.blocks = 6;
    config.swap_blocks = 6;
    config.mindie.max_preempt_count = count;
    config.mindie.max_prefill_batch_size = 3;
    Scheduler scheduler(config);
    for (const RequestId id : {1, 2, 3}) Add(scheduler, id, 3, 0);
    Step(scheduler, 1);
    for (int i = 0; i < 4 && scheduler.waiting() == 0; ++i) Step(scheduler, 1);
    for (int i = 0; i < 4 && scheduler.waiting() == 0; ++i) Step(scheduler, 1);
    ASSERT_FALSE(last_.preempted.empty());
    const bool swapped = last_.preempted[0].swapped;
    EXPECT_EQ(swapped, count > 0);
    // Nothing is free, but that something is swapped out is asked first.
    Step(scheduler, 2);
    EXPECT_EQ(last_.decision.rule, swapped ? Rule::kSwappedOut : Rule::kFewFreeBlocks);
  }
}

// maxPrefillTokens below what a preempted sequence has grown to: older releases hung there (3.3).
TEST_F(MindieSteps, ASequenceLongerThanAStepIsComputedAgainInPieces) {
  SchedulerConfig config = Config();
  config.blocks = 4;
  config.max_batched_tokens = 4;
  config.mindie.max_prefill_tokens = 1;
  Scheduler scheduler(config);
  Add(scheduler, 1, 4, 0);
  Add(scheduler, 2, 4, 0);
  std::vector<int64_t> tokens(3);
  for (int i = 0; i < 60 && scheduler.running() + scheduler.waiting() > 0; ++i) {
    const StepPlan& plan = scheduler.Plan(1);
    ASSERT_FALSE(plan.empty());
    ASSERT_FALSE(plan.stuck.has_value());
    std::vector<RequestId> sampling;
    for (const PlannedSequence& planned : plan.sequences) {
      if (planned.sample) sampling.push_back(planned.id);
    }
    for (const RequestId id : sampling) {
      if (++tokens[static_cast<size_t>(id)] == 9) {
        scheduler.Finish(id);
      } else {
        scheduler.Extend(id, 0);
      }
    }
  }
  EXPECT_EQ(tokens, (std::vector<int64_t>{0, 9, 9}));
  EXPECT_GT(scheduler.totals().recomputed, 0);
}

TEST_F(MindieSteps, AStepIsExplainedInOneLine) {
  Scheduler scheduler(Config());
  for (const RequestId id : {1, 2, 3}) Add(scheduler, id, 2, 0);
  Step(scheduler, 1);
  EXPECT_EQ(
      ExplainStep(last_, 1).Dump(),
      R"x({"now_s":1.0,"choice":"prefill","rule":"prefill_at_once","because":"the oldest has )x"
      R"x(waited long enough, or a batch is full","paragraph":"3.1 (4)","compared":{"swapped":)x"
      R"x(0.0,"waiting":3.0,"oldestWaitMs":1000.0,"maxQueueDelayMs":5.0,"maxPrefillBatchSize":)x"
      R"x(2.0,"freeBlocks":40.0,"fivePercentOfBlocks":2.0},"computes":{"prefill_tokens":4,)x"
      R"x("decoding":0,"entered":2,"cached_tokens":0},"waiting":1,"left_waiting":{"id":3,)x"
      R"x("why":"prefill_batch","need":3,"have":2}})x");
}

TEST_F(MindieSteps, WhatCanNeverRunIsSaidWithItsNumbers) {
  Scheduler scheduler({.blocks = 2, .block_tokens = 4});
  Add(scheduler, 1, 9, 0);
  EXPECT_FALSE(scheduler.Fits(9));
  Step(scheduler, 0);  // what there is room for
  Step(scheduler, 0);
  ASSERT_TRUE(last_.stuck.has_value());
  EXPECT_EQ(last_.stuck->id, 1);
  EXPECT_EQ(
      last_.stuck->what,
      "the scheduler cannot go on: the sequence has 9 tokens, 8 of them computed, and needs 3 "
      "cache blocks of 4; it holds 2, of all 2 blocks 0 are free and 0 cached; 1 sequences "
      "run, 0 wait; a step has 512 tokens and 64 rows of logits");
  const std::string line = ExplainStep(last_, 0).Dump();
  EXPECT_NE(line.find("\"stuck\":{\"id\":1,"), std::string::npos);
  scheduler.Finish(1);
  Step(scheduler, 0);
  EXPECT_FALSE(last_.stuck.has_value());
}

TEST(Explain, EveryRuleHasATextOfItsOwn) {
  std::vector<std::string> names;
  for (int rule = 0; rule <= static_cast<int>(Rule::kLaxityDecode); ++rule) {
    names.emplace_back(TextOf(static_cast<Rule>(rule)).name);
    EXPECT_EQ(std::ranges::count(names, names.back()), 1);
    EXPECT_FALSE(TextOf(static_cast<Rule>(rule)).text.empty());
  }
}

}  // namespace
}  // namespace fathom
