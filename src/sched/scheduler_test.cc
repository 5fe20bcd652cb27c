#include "sched/scheduler.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

#include "base/format.h"
#include "sched/scheduler_shadow_testing.h"

namespace fathom {

void PrintTo(const PlannedSequence& planned, std::ostream* out) {
  *out << Format("#{} [{}, +{}) blocks {}{}{}", planned.id, planned.first_token, planned.count,
                 ShapeString(planned.new_blocks), planned.restart ? " restart" : "",
                 planned.sample ? " sample" : "");
}

namespace {

using Planned = std::vector<PlannedSequence>;
using Ids = std::vector<RequestId>;

constexpr bool kRestart = true;
constexpr bool kSample = true;

// Plans a step and extends whoever was to sample, as an engine does.
StepPlan StepAndExtend(Scheduler& scheduler) {
  StepPlan plan = scheduler.Plan();
  for (const PlannedSequence& planned : plan.sequences) {
    if (planned.sample) scheduler.Extend(planned.id);
  }
  return plan;
}

TEST(Scheduler, KnowsHowManyBlocksTokensNeed) {
  const Scheduler scheduler({.blocks = 3, .block_tokens = 16});
  EXPECT_EQ(scheduler.BlocksFor(1), 1);
  EXPECT_EQ(scheduler.BlocksFor(16), 1);
  EXPECT_EQ(scheduler.BlocksFor(17), 2);
  EXPECT_TRUE(scheduler.Fits(48));
  EXPECT_FALSE(scheduler.Fits(49));
}

TEST(Scheduler, NothingToDoIsAnEmptyPlan) {
  Scheduler scheduler({.blocks = 4});
  EXPECT_TRUE(scheduler.Plan().empty());
  scheduler.Add(1, 3);
  EXPECT_EQ(scheduler.Plan().sequences.size(), 1U);
  EXPECT_TRUE(scheduler.Plan().empty());  // nothing new is known of 1
  scheduler.Finish(1);
  EXPECT_EQ(scheduler.free_blocks(), 4);
}

TEST(Scheduler, CutsAPromptIntoPiecesAndFillsTheStepWithTheNext) {
  Scheduler scheduler({.blocks = 20, .block_tokens = 4, .max_batched_tokens = 6});
  scheduler.Add(1, 10);
  scheduler.Add(2, 3);
  scheduler.Add(3, 5);
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{1, 0, 6, {0, 1}}}));
  // 1 ends its prompt with 4 tokens; 2 gets what is left of the step.
  EXPECT_EQ(StepAndExtend(scheduler).sequences,
            (Planned{{1, 6, 4, {2}, false, kSample}, {2, 0, 2, {3}}}));
  // 1 decodes, 2 ends its prompt, 3 begins.
  EXPECT_EQ(
      StepAndExtend(scheduler).sequences,
      (Planned{{1, 10, 1, {}, false, kSample}, {2, 2, 1, {}, false, kSample}, {3, 0, 4, {4}}}));
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{1, 11, 1, {}, false, kSample},
                                                         {2, 3, 1, {}, false, kSample},
                                                         {3, 4, 1, {5}, false, kSample}}));
}

TEST(Scheduler, DecodingComesBeforePrompts) {
  Scheduler scheduler({.blocks = 20, .block_tokens = 4, .max_batched_tokens = 3});
  scheduler.Add(1, 1);
  scheduler.Add(2, 1);
  scheduler.Add(3, 9);
  EXPECT_EQ(
      StepAndExtend(scheduler).sequences,
      (Planned{{1, 0, 1, {0}, false, kSample}, {2, 0, 1, {1}, false, kSample}, {3, 0, 1, {2}}}));
  // 4 joins; 3 is in the middle of its prompt and has to leave two tokens to 1 and 2.
  scheduler.Add(4, 1);
  EXPECT_EQ(StepAndExtend(scheduler).sequences,
            (Planned{{1, 1, 1, {}, false, kSample}, {2, 1, 1, {}, false, kSample}, {3, 1, 1, {}}}));
  scheduler.Finish(1);
  EXPECT_EQ(StepAndExtend(scheduler).sequences,
            (Planned{{2, 2, 1, {}, false, kSample}, {3, 2, 2, {}}}));
}

TEST(Scheduler, RunsAtMostMaxSequencesAtOnce) {
  Scheduler scheduler({.blocks = 20, .block_tokens = 4, .max_sequences = 2});
  for (RequestId id = 1; id <= 3; ++id) scheduler.Add(id, 2);
  EXPECT_EQ(StepAndExtend(scheduler).sequences.size(), 2U);
  EXPECT_EQ(scheduler.running(), 2);
  EXPECT_EQ(scheduler.waiting(), 1);
  scheduler.Finish(1);
  EXPECT_EQ(StepAndExtend(scheduler).sequences,
            (Planned{{2, 2, 1, {}, false, kSample}, {3, 0, 2, {0}, false, kSample}}));
}

TEST(Scheduler, TheYoungestGivesItsBlocksUpAndIsComputedAgain) {
  Scheduler scheduler({.blocks = 4, .block_tokens = 2});
  scheduler.Add(1, 2);
  scheduler.Add(2, 2);
  // 2 enters: it needs 1 block and 1 to spare, and 3 are free.
  EXPECT_EQ(StepAndExtend(scheduler).sequences,
            (Planned{{1, 0, 2, {0}, false, kSample}, {2, 0, 2, {1}, false, kSample}}));
  EXPECT_EQ(StepAndExtend(scheduler).sequences,
            (Planned{{1, 2, 1, {2}, false, kSample}, {2, 2, 1, {3}, false, kSample}}));
  EXPECT_EQ(scheduler.free_blocks(), 0);
  StepAndExtend(scheduler);  // tokens 3 and 3
  // Token 4 of 1 needs a block: 2 loses both of its.
  const StepPlan plan = StepAndExtend(scheduler);
  EXPECT_EQ(plan.preempted, Ids{2});
  EXPECT_EQ(plan.sequences, (Planned{{1, 4, 1, {1}, false, kSample}}));
  EXPECT_EQ(scheduler.waiting(), 1);
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{1, 5, 1, {}, false, kSample}}));
  scheduler.Finish(1);
  // All five known tokens of 2 again, from token 0.
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{2, 0, 5, {0, 2, 1}, kRestart, kSample}}));
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{2, 5, 1, {}, false, kSample}}));
}

TEST(Scheduler, TheYoungestWaitsWithItsBlocksWhenNoneIsFree) {
  Scheduler scheduler({.blocks = 3, .block_tokens = 2});
  scheduler.Add(1, 3);
  scheduler.Add(2, 1);
  scheduler.Add(3, 1);
  // 2 blocks for 1; 2 needs one and one to spare, and only one is free: it stays out.
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{1, 0, 3, {0, 1}, false, kSample}}));
  scheduler.Finish(1);
  EXPECT_EQ(StepAndExtend(scheduler).sequences,
            (Planned{{2, 0, 1, {0}, false, kSample}, {3, 0, 1, {1}, false, kSample}}));
  EXPECT_EQ(StepAndExtend(scheduler).sequences.size(), 2U);
  // The third block goes to 2; 3 has none to go on with and keeps what it has.
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{2, 2, 1, {2}, false, kSample}}));
  EXPECT_EQ(scheduler.running(), 2);
  scheduler.Finish(2);
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{3, 2, 1, {0}, false, kSample}}));
}

TEST(Scheduler, NobodyOvertakesTheHeadOfTheQueue) {
  Scheduler scheduler({.blocks = 4, .block_tokens = 2});
  scheduler.Add(1, 4);
  scheduler.Add(2, 6);  // 3 blocks and one to spare: not while 1 runs
  scheduler.Add(3, 1);  // would fit
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{1, 0, 4, {0, 1}, false, kSample}}));
  EXPECT_EQ(scheduler.waiting(), 2);
}

TEST(Scheduler, ScoredPromptsAreCutToTheLogitRowsOfAStep) {
  Scheduler scheduler({.blocks = 20,
                       .block_tokens = 4,
                       .max_batched_tokens = 16,
                       .max_sequences = 3,
                       .max_logit_rows = 5});
  scheduler.Add(1, 8, LogitRows::kAll);
  scheduler.Add(2, 9);
  // 5 rows for 1. 2 gets the tokens that are left, but no row: not its last token.
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{1, 0, 5, {0, 1}}, {2, 0, 8, {2, 3}}}));
  // 2 has one token left, which counts as decoding and gets its row first.
  EXPECT_EQ(scheduler.Plan().sequences,
            (Planned{{1, 5, 3, {}, false, kSample}, {2, 8, 1, {4}, false, kSample}}));
}

TEST(Scheduler, AnOldPromptGoesOnWhileYoungerOnesDecode) {
  Scheduler scheduler({.blocks = 20,
                       .block_tokens = 4,
                       .max_batched_tokens = 4,
                       .max_sequences = 3,
                       .max_logit_rows = 3});
  scheduler.Add(1, 9, LogitRows::kAll);
  scheduler.Add(2, 2);
  scheduler.Add(3, 2);
  EXPECT_EQ(StepAndExtend(scheduler).sequences, (Planned{{1, 0, 3, {0}}, {2, 0, 1, {1}}}));
  EXPECT_EQ(StepAndExtend(scheduler).sequences,
            (Planned{{1, 3, 2, {2}}, {2, 1, 1, {}, false, kSample}, {3, 0, 1, {3}}}));
  EXPECT_EQ(StepAndExtend(scheduler).sequences,
            (Planned{{1, 5, 1, {}}, {2, 2, 1, {}, false, kSample}, {3, 1, 1, {}, false, kSample}}));
}

TEST(Scheduler, CancellingFreesWaitingAndRunningAlike) {
  Scheduler scheduler({.blocks = 4, .block_tokens = 2, .max_sequences = 1});
  scheduler.Add(1, 4);
  scheduler.Add(2, 4);
  scheduler.Plan();
  scheduler.Finish(2);
  EXPECT_EQ(scheduler.waiting(), 0);
  scheduler.Finish(1);
  EXPECT_EQ(scheduler.running(), 0);
  EXPECT_EQ(scheduler.free_blocks(), 4);
  scheduler.Add(1, 1);  // an id that has ended may come again
  EXPECT_EQ(scheduler.Plan().sequences.size(), 1U);
}

TEST(SchedulerDeathTest, BrokenPreconditionsEndTheProgram) {
  EXPECT_DEATH(Scheduler({.blocks = 1, .max_sequences = 9, .max_logit_rows = 8}), "max_logit_rows");
  Scheduler scheduler({.blocks = 2, .block_tokens = 4});
  EXPECT_DEATH(scheduler.Add(1, 9), "Fits");
  EXPECT_DEATH(scheduler.Add(1, 0), "tokens >= 1");
  scheduler.Add(1, 8);
  EXPECT_DEATH(scheduler.Add(1, 1), "is_new");
  EXPECT_DEATH(scheduler.Extend(1), "left");  // its known tokens are not computed yet
  scheduler.Plan();
  EXPECT_DEATH(scheduler.Extend(1), "Fits");
  EXPECT_DEATH(scheduler.Finish(2), "sequences_.end");
}

// The fuzz target's checks on scripts that are the same everywhere (mt19937_64 is standardised).
TEST(Scheduler, KeepsItsPromisesUnderRandomArrivalsCancelsAndSteps) {
  int64_t preemptions = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<uint8_t> script(10 + random() % 300);
    for (uint8_t& byte : script) byte = static_cast<uint8_t>(random());
    preemptions += PlaySchedulerScript(script);
  }
  EXPECT_GT(preemptions, 1000);  // the scripts do reach what they are for
}

}  // namespace
}  // namespace fathom
