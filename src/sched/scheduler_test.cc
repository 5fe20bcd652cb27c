#include "sched/scheduler.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

#include "base/format.h"
#include "sched/request.h"
#include "sched/scheduler_config.h"
#include "sched/scheduler_shadow_testing.h"
#include "sched/step_plan.h"

namespace fathom {

namespace {

// One sequence of a plan with its blocks.
struct Did {
  RequestId id = 0;
  int64_t first_token = 0;
  int64_t count = 0;
  std::vector<int32_t> new_blocks;
  bool sample = false;

  friend bool operator==(const Did&, const Did&) = default;
};

void PrintTo(const Did& did, std::ostream* out) {
  *out << Format("#{} [{}, +{}) blocks {}{}", did.id, did.first_token, did.count,
                 ShapeString(did.new_blocks), did.sample ? " sample" : "");
}

using Planned = std::vector<Did>;

constexpr bool kSample = true;

Planned SequencesOf(const StepPlan& plan) {
  Planned all;
  for (const PlannedSequence& planned : plan.sequences) {
    const auto blocks = plan.BlocksOf(planned);
    all.push_back({planned.id,
                   planned.first_token,
                   planned.count,
                   {blocks.begin(), blocks.end()},
                   planned.sample});
  }
  return all;
}

// A prompt that agrees with no other.
std::vector<int32_t> OwnTokens(RequestId id, int64_t count) {
  std::vector<int32_t> tokens;
  tokens.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) tokens.push_back(static_cast<int32_t>(id * 1000 + i));
  return tokens;
}

void Add(Scheduler& scheduler, RequestId id, int64_t tokens, LogitRows rows = LogitRows::kLast) {
  scheduler.Add({.id = id, .tokens = OwnTokens(id, tokens), .rows = rows});
}

Planned Plan(Scheduler& scheduler) { return SequencesOf(scheduler.Plan(0)); }

// Plans a step and extends whoever was to sample, as an engine does.
StepPlan StepAndExtend(Scheduler& scheduler, double now_s = 0) {
  StepPlan plan = scheduler.Plan(now_s);
  for (const PlannedSequence& planned : plan.sequences) {
    if (planned.sample) scheduler.Extend(planned.id, 0);
  }
  return plan;
}

Planned Step(Scheduler& scheduler) { return SequencesOf(StepAndExtend(scheduler)); }

TEST(Scheduler, KnowsHowManyBlocksTokensNeed) {
  const Scheduler scheduler({.blocks = 3, .block_tokens = 16, .prefix_cache = false});
  EXPECT_EQ(scheduler.BlocksFor(1), 1);
  EXPECT_EQ(scheduler.BlocksFor(16), 1);
  EXPECT_EQ(scheduler.BlocksFor(17), 2);
  EXPECT_TRUE(scheduler.Fits(48));
  EXPECT_FALSE(scheduler.Fits(49));
}

TEST(Scheduler, NothingToDoIsAnEmptyPlan) {
  Scheduler scheduler({.blocks = 4, .prefix_cache = false});
  EXPECT_TRUE(Plan(scheduler).empty());
  Add(scheduler, 1, 3);
  EXPECT_EQ(Plan(scheduler).size(), 1U);
  EXPECT_TRUE(Plan(scheduler).empty());  // nothing new is known of 1
  scheduler.Finish(1);
  EXPECT_EQ(scheduler.free_blocks(), 4);
}

TEST(Scheduler, CutsAPromptIntoPiecesAndFillsTheStepWithTheNext) {
  Scheduler scheduler(
      {.blocks = 20, .block_tokens = 4, .max_batched_tokens = 6, .prefix_cache = false});
  Add(scheduler, 1, 10);
  Add(scheduler, 2, 3);
  Add(scheduler, 3, 5);
  EXPECT_EQ(Step(scheduler), (Planned{{1, 0, 6, {0, 1}}}));
  // 1 ends its prompt with 4 tokens; 2 gets what is left of the step.
  EXPECT_EQ(Step(scheduler), (Planned{{1, 6, 4, {2}, kSample}, {2, 0, 2, {3}}}));
  // 1 decodes, 2 ends its prompt, 3 begins.
  EXPECT_EQ(Step(scheduler),
            (Planned{{1, 10, 1, {}, kSample}, {2, 2, 1, {}, kSample}, {3, 0, 4, {4}}}));
  EXPECT_EQ(Step(scheduler),
            (Planned{{1, 11, 1, {}, kSample}, {2, 3, 1, {}, kSample}, {3, 4, 1, {5}, kSample}}));
}

TEST(Scheduler, DecodingComesBeforePrompts) {
  Scheduler scheduler(
      {.blocks = 20, .block_tokens = 4, .max_batched_tokens = 3, .prefix_cache = false});
  Add(scheduler, 1, 1);
  Add(scheduler, 2, 1);
  Add(scheduler, 3, 9);
  EXPECT_EQ(Step(scheduler),
            (Planned{{1, 0, 1, {0}, kSample}, {2, 0, 1, {1}, kSample}, {3, 0, 1, {2}}}));
  // 4 joins; 3 is in the middle of its prompt and has to leave two tokens to 1 and 2.
  Add(scheduler, 4, 1);
  EXPECT_EQ(Step(scheduler),
            (Planned{{1, 1, 1, {}, kSample}, {2, 1, 1, {}, kSample}, {3, 1, 1, {}}}));
  scheduler.Finish(1);
  EXPECT_EQ(Step(scheduler), (Planned{{2, 2, 1, {}, kSample}, {3, 2, 2, {}}}));
}

TEST(Scheduler, RunsAtMostMaxSequencesAtOnce) {
  Scheduler scheduler({.blocks = 20, .block_tokens = 4, .max_sequences = 2, .prefix_cache = false});
  for (RequestId id = 1; id <= 3; ++id) Add(scheduler, id, 2);
  EXPECT_EQ(Step(scheduler).size(), 2U);
  EXPECT_EQ(scheduler.running(), 2);
  EXPECT_EQ(scheduler.waiting(), 1);
  scheduler.Finish(1);
  EXPECT_EQ(Step(scheduler), (Planned{{2, 2, 1, {}, kSample}, {3, 0, 2, {0}, kSample}}));
}

TEST(Scheduler, TheYoungestGivesItsBlocksUpAndIsComputedAgain) {
  Scheduler scheduler({.blocks = 4, .block_tokens = 2, .prefix_cache = false});
  Add(scheduler, 1, 2);
  Add(scheduler, 2, 2);
  // 2 enters: it needs 1 block and 1 to spare, and 3 are free.
  EXPECT_EQ(Step(scheduler), (Planned{{1, 0, 2, {0}, kSample}, {2, 0, 2, {1}, kSample}}));
  EXPECT_EQ(Step(scheduler), (Planned{{1, 2, 1, {2}, kSample}, {2, 2, 1, {3}, kSample}}));
  EXPECT_EQ(scheduler.free_blocks(), 0);
  StepAndExtend(scheduler);  // tokens 3 and 3
  // Token 4 of 1 needs a block: 2 loses both of its.
  const StepPlan plan = StepAndExtend(scheduler);
  EXPECT_EQ(plan.preempted, (std::vector<Preemption>{{.id = 2, .in_favour_of = 1, .blocks = 2}}));
  EXPECT_EQ(SequencesOf(plan), (Planned{{1, 4, 1, {1}, kSample}}));
  EXPECT_EQ(scheduler.waiting(), 1);
  EXPECT_EQ(Step(scheduler), (Planned{{1, 5, 1, {}, kSample}}));
  scheduler.Finish(1);
  // All five known tokens of 2 again, from token 0.
  EXPECT_EQ(Step(scheduler), (Planned{{2, 0, 5, {0, 2, 1}, kSample}}));
  EXPECT_EQ(Step(scheduler), (Planned{{2, 5, 1, {}, kSample}}));
}

TEST(Scheduler, TheYoungestWaitsWithItsBlocksWhenNoneIsFree) {
  Scheduler scheduler({.blocks = 3, .block_tokens = 2, .prefix_cache = false});
  Add(scheduler, 1, 3);
  Add(scheduler, 2, 1);
  Add(scheduler, 3, 1);
  // 2 blocks for 1; 2 needs one and one to spare, and only one is free: it stays out.
  EXPECT_EQ(Step(scheduler), (Planned{{1, 0, 3, {0, 1}, kSample}}));
  scheduler.Finish(1);
  EXPECT_EQ(Step(scheduler), (Planned{{2, 0, 1, {0}, kSample}, {3, 0, 1, {1}, kSample}}));
  EXPECT_EQ(Step(scheduler).size(), 2U);
  // The third block goes to 2; 3 has none to go on with and keeps what it has.
  EXPECT_EQ(Step(scheduler), (Planned{{2, 2, 1, {2}, kSample}}));
  EXPECT_EQ(scheduler.running(), 2);
  scheduler.Finish(2);
  EXPECT_EQ(Step(scheduler), (Planned{{3, 2, 1, {0}, kSample}}));
}

TEST(Scheduler, NobodyOvertakesTheHeadOfTheQueue) {
  Scheduler scheduler({.blocks = 4, .block_tokens = 2, .prefix_cache = false});
  Add(scheduler, 1, 4);
  Add(scheduler, 2, 6);  // 3 blocks and one to spare: not while 1 runs
  Add(scheduler, 3, 1);  // would fit
  EXPECT_EQ(Step(scheduler), (Planned{{1, 0, 4, {0, 1}, kSample}}));
  EXPECT_EQ(scheduler.waiting(), 2);
}

TEST(Scheduler, ScoredPromptsAreCutToTheLogitRowsOfAStep) {
  Scheduler scheduler({.blocks = 20,
                       .block_tokens = 4,
                       .max_batched_tokens = 16,
                       .max_sequences = 3,
                       .max_logit_rows = 5,
                       .prefix_cache = false});
  Add(scheduler, 1, 8, LogitRows::kAll);
  Add(scheduler, 2, 9);
  // 5 rows for 1. 2 gets the tokens that are left, but no row: not its last token.
  EXPECT_EQ(Step(scheduler), (Planned{{1, 0, 5, {0, 1}}, {2, 0, 8, {2, 3}}}));
  // 2 has one token left, which counts as decoding and gets its row first.
  EXPECT_EQ(Plan(scheduler), (Planned{{1, 5, 3, {}, kSample}, {2, 8, 1, {4}, kSample}}));
}

TEST(Scheduler, AnOldPromptGoesOnWhileYoungerOnesDecode) {
  Scheduler scheduler({.blocks = 20,
                       .block_tokens = 4,
                       .max_batched_tokens = 4,
                       .max_sequences = 3,
                       .max_logit_rows = 3,
                       .prefix_cache = false});
  Add(scheduler, 1, 9, LogitRows::kAll);
  Add(scheduler, 2, 2);
  Add(scheduler, 3, 2);
  EXPECT_EQ(Step(scheduler), (Planned{{1, 0, 3, {0}}, {2, 0, 1, {1}}}));
  EXPECT_EQ(Step(scheduler), (Planned{{1, 3, 2, {2}}, {2, 1, 1, {}, kSample}, {3, 0, 1, {3}}}));
  EXPECT_EQ(Step(scheduler),
            (Planned{{1, 5, 1, {}}, {2, 2, 1, {}, kSample}, {3, 1, 1, {}, kSample}}));
}

TEST(Scheduler, CancellingFreesWaitingAndRunningAlike) {
  Scheduler scheduler({.blocks = 4, .block_tokens = 2, .max_sequences = 1, .prefix_cache = false});
  Add(scheduler, 1, 4);
  Add(scheduler, 2, 4);
  Plan(scheduler);
  scheduler.Finish(2);
  EXPECT_EQ(scheduler.waiting(), 0);
  scheduler.Finish(1);
  EXPECT_EQ(scheduler.running(), 0);
  EXPECT_EQ(scheduler.free_blocks(), 4);
  Add(scheduler, 1, 1);  // an id that has ended may come again
  EXPECT_EQ(Plan(scheduler).size(), 1U);
}

TEST(SchedulerDeathTest, BrokenPreconditionsEndTheProgram) {
  EXPECT_DEATH(Scheduler({.blocks = 1, .max_sequences = 9, .max_logit_rows = 8}), "max_logit_rows");
  Scheduler scheduler({.blocks = 2, .block_tokens = 4});
  EXPECT_DEATH(Add(scheduler, 1, 0), "tokens.empty");
  Add(scheduler, 1, 8);
  EXPECT_DEATH(Add(scheduler, 1, 1), "slot_of_");
  EXPECT_DEATH(scheduler.Extend(1, 0), "left");  // its known tokens are not computed yet
  EXPECT_DEATH(scheduler.Finish(2), "slot_of_.end");
}

// The fuzz target's checks on scripts that are the same everywhere (mt19937_64 is standardised).
TEST(Scheduler, KeepsItsPromisesUnderRandomArrivalsCancelsAndSteps) {
  SchedulerTotals totals;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<uint8_t> script(20 + random() % 400);
    for (uint8_t& byte : script) byte = static_cast<uint8_t>(random());
    const SchedulerTotals reached = PlaySchedulerScript(script).totals;
    totals.cached_tokens += reached.cached_tokens;
    totals.recomputed += reached.recomputed;
    totals.swapped_in += reached.swapped_in;
    totals.expired += reached.expired;
  }
  // The scripts do reach what they are for.
  EXPECT_GT(totals.cached_tokens, 10000);
  EXPECT_GT(totals.recomputed, 500);
  EXPECT_GT(totals.swapped_in, 100);
  EXPECT_GT(totals.expired, 100);
}

// Requests without end. A backlog of low priority is there at the start; then as many requests of
// higher priority as may run come together, as soon as those before them can be done, so without
// ageing the backlog would wait for ever. `steps` is what a request takes at most once it is the
// first ranked that runs: a step for its prompt, one for each further token and, where blocks are
// short, one to be computed again.
//
// The backlog counts as come kAhead steps after its arrival: who comes in that time goes before it,
// one in `steps`, nobody after that. So a request waits, kAhead apart, for no more than the
// backlog, those that run when it comes (max_sequences) and those that came together, itself
// included (max_sequences): each takes `steps`, and the last step is the one it is seen in.
struct EndlessRow {
  const char* name;
  SchedulerConfig config;
  int64_t steps;
};

void RunWithoutEnd(const EndlessRow& row) {
  constexpr int64_t kBacklog = 5;
  constexpr int64_t kAhead = 100;
  constexpr double kStepS = 0.01;
  SchedulerShadow shadow(row.config);
  std::vector<std::pair<RequestId, int64_t>> due;  // by when
  const int64_t together = row.config.max_sequences;
  const int64_t served = (kBacklog + 2 * together) * row.steps + 1;
  const auto add = [&](int32_t priority, int64_t by) {
    due.emplace_back(
        shadow.Add({.prompt = 2, .target = 6, .differs_from = 0, .priority = priority}), by);
  };
  for (int64_t i = 0; i < kBacklog; ++i) add(1, kAhead + served);
  for (int64_t step = 0; step < 3000; ++step) {
    for (int64_t i = 0; i < together && step % (together * row.steps) == 0; ++i) {
      add(0, step + served);
    }
    shadow.Step();
    shadow.Pass(kStepS);
    for (const auto& [id, by] : due) {
      ASSERT_TRUE(!shadow.IsOpen(id) || step < by) << row.name << ": " << id << " at " << step;
    }
    std::erase_if(due, [&](const auto& entry) { return !shadow.IsOpen(entry.first); });
  }
  const bool few_blocks = row.config.blocks < 3 * row.config.max_sequences;
  EXPECT_EQ(shadow.scheduler().totals().recomputed > 100, few_blocks) << row.name;
}

TEST(Scheduler, NobodyStarvesThoughRequestsComeWithoutEnd) {
  SchedulerConfig one{.blocks = 40, .block_tokens = 2, .max_sequences = 1, .priority_step_s = 1};
  std::vector<EndlessRow> rows;
  // Two tokens of prompt, then four more: five steps.
  rows.push_back({"chunked", one, 5});
  // Three sequences of up to three blocks in four, so they take each other's.
  SchedulerConfig tight = one;
  tight.blocks = 4;
  tight.max_sequences = 3;
  rows.push_back({"chunked, few blocks", tight, 6});
  one.policy = Policy::kFcfs;
  rows.push_back({"fcfs", one, 5});
  one.policy = Policy::kMindie;
  one.mindie.max_batch_size = 1;
  one.mindie.max_queue_delay_s = 0;
  for (const int64_t select : {0, 1, 2}) {
    one.mindie.stage_select_policy = select;
    one.mindie.dynamic_batch_size = select == 2;
    rows.push_back({"mindie", one, 5});
  }
  for (const EndlessRow& row : rows) RunWithoutEnd(row);
}

}  // namespace
}  // namespace fathom
