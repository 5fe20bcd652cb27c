#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sched/decision.h"
#include "sched/explain.h"
#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"
#include "sched/step_plan.h"
#include "sched/step_time.h"

namespace fathom {
namespace {

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

// Paragraphs are those of docs/formats/mindie-scheduling.md.

// "First come, first served; the first request that does not fit ends the batch. A prefill step
// takes max(maxSeqLen, maxPrefillTokens) tokens and maxPrefillBatchSize prompts." (3.2)
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

// "The stage chosen gave nothing and something runs: decode." (3.1, 2)
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

// "A request that has waited more than maxFirstTokenWaitTime and has no token yet takes the blocks
// of the sequence that came last, if they are enough." (3.2)
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

// "By swapping, if fewer than maxPreemptCount did in this step and enough swap blocks are free,
// else it is computed again from prompt and answer." (3.3)
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

// "A prompt longer than a step is computed in several [...], so there is no length at which a
// preempted sequence cannot come back." (Where Fathom differs)
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

// MindIE clamps the dynamic batch to what decodes: whoever runs gets a token in each decode step,
// and fewer enter instead.
TEST_F(MindieSteps, ALateDynamicBatchStopsNobodyAndLetsNobodyEnter) {
  SchedulerConfig config = Config();
  config.blocks = 1000;
  config.mindie.dynamic_batch_size = true;
  config.mindie.max_batch_size = 8;
  config.mindie.max_prefill_batch_size = 8;
  Scheduler scheduler(config);
  for (const RequestId id : {1, 2, 3, 4, 5}) Add(scheduler, id, 2, 0);
  const auto step = [&] {
    const Ids ids = Step(scheduler, 1);
    scheduler.Observe(last_.shape, 0.1);  // 50 ms are expected
    return ids;
  };
  EXPECT_EQ(step(), (Ids{1, 2, 3, 4, 5}));
  for (const RequestId id : {6, 7, 8}) Add(scheduler, id, 2, 0);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(step(), (Ids{1, 2, 3, 4, 5})) << i;
  EXPECT_EQ(last_.decision.still_waiting, 3);
  for (const RequestId id : {1, 2, 3, 4}) scheduler.Finish(id);
  // Nobody waits for ever: the batch is never below what its floor lets in.
  bool entered = false;
  for (int i = 0; i < 2 && !entered; ++i) entered = step() != Ids{5};
  EXPECT_TRUE(entered);
}

// What a prefill of all that wait would compute: cached tokens and those beyond maxBatchSize do not
// count.
TEST_F(MindieSteps, LaxityPredictsThePrefillOfAllThatWait) {
  SchedulerConfig config = Config();
  config.prefix_cache = true;
  config.mindie.stage_select_policy = 2;
  config.mindie.max_batch_size = 3;
  std::vector<int64_t> predicted;
  Scheduler scheduler(config, [&](const StepShape& shape) {
    if (shape.prefill_tokens > 0) predicted.push_back(shape.prefill_tokens);
    return 0.0;
  });
  Add(scheduler, 1, 9, 0);
  Step(scheduler, 0);
  Step(scheduler, 0);
  EXPECT_TRUE(predicted.empty());
  // As 1 but for the answer, with 9 tokens found, all but its last; two that agree with nothing
  // yet; one too many.
  scheduler.Add({.id = 2, .tokens = std::vector<int32_t>(10, 1), .arrival_s = 0});
  Add(scheduler, 3, 5, 0);
  Add(scheduler, 4, 7, 0);
  Add(scheduler, 5, 3, 0);
  scheduler.Plan(0);
  EXPECT_EQ(predicted, (std::vector<int64_t>{10 - 8 + 5 + 7}));
}

TEST_F(MindieSteps, AStepIsExplainedInOneLine) {
  Scheduler scheduler(Config());
  for (const RequestId id : {1, 2, 3}) Add(scheduler, id, 2, 0);
  Step(scheduler, 1);
  EXPECT_EQ(
      ExplainStep(RecordStep(last_, 1)).Dump(),
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
  const std::string line = ExplainStep(RecordStep(last_, 0)).Dump();
  EXPECT_NE(line.find("\"stuck\":{\"id\":1,"), std::string::npos);
  scheduler.Finish(1);
  Step(scheduler, 0);
  EXPECT_FALSE(last_.stuck.has_value());
}

}  // namespace
}  // namespace fathom
