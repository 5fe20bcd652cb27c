#include "sched/prefix_cache.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/block_pool.h"
#include "sched/prefix_index.h"
#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/step_plan.h"

namespace fathom {
namespace {

using Tokens = std::vector<int32_t>;
using Blocks = std::vector<int32_t>;

TEST(PrefixCache, FindsWholeBlocksAndPartOfTheNext) {
  PrefixCache cache(4, 2, /*enabled=*/true);
  const int32_t first = cache.Take();
  const int32_t second = cache.Take();
  const PrefixNode node = cache.Publish(first, kEmptyPrefix, Tokens{1, 2});
  cache.Publish(second, node, Tokens{3, 4});
  PrefixMatch match;
  cache.Find(Tokens{1, 2, 3, 5, 6}, match);
  EXPECT_EQ(match.blocks, Blocks{first});
  EXPECT_EQ(match.partial.block, second);
  EXPECT_EQ(match.tokens, 3);
  EXPECT_EQ(cache.IdleBlocks(match), 0);
  cache.Release(Blocks{first, second});
  EXPECT_EQ(cache.IdleBlocks(match), 1);
  // A block that gives way is found no more; the end of the sequence goes before its beginning.
  EXPECT_EQ(cache.Take(), 2);
  EXPECT_EQ(cache.Take(), 3);
  EXPECT_EQ(cache.Take(), second);
  cache.Find(Tokens{1, 2, 3, 4}, match);
  EXPECT_EQ(match.blocks, Blocks{first});
  EXPECT_EQ(match.tokens, 2);
}

TEST(PrefixCache, SwitchedOffItFindsNothing) {
  PrefixCache cache(4, 2, /*enabled=*/false);
  const int32_t block = cache.Take();
  cache.Forget(block);
  cache.Release(Blocks{block});
  PrefixMatch match;
  cache.Find(Tokens{1, 2}, match);
  EXPECT_EQ(match.tokens, 0);
  EXPECT_EQ(cache.pool().free(), 4);
}

// The scheduler's use of it: one request after the other, in steps of any size.
class PrefixCacheOfScheduler : public testing::Test {
 protected:
  struct Entered {
    int64_t cached_tokens = 0;
    int64_t computed = 0;  // in the step
    Blocks blocks;
    std::vector<BlockCopy> copies;
  };
  // Adds a request and plans the step in which it enters.
  Entered Enter(RequestId id, const Tokens& tokens, LogitRows rows = LogitRows::kLast) {
    scheduler_.Add({.id = id, .tokens = tokens, .rows = rows, .max_tokens = 4});
    const StepPlan& plan = scheduler_.Plan(0);
    const PlannedSequence& planned = plan.sequences.back();
    EXPECT_EQ(planned.id, id);
    EXPECT_TRUE(planned.enters);
    EXPECT_EQ(planned.first_token, planned.cached_tokens);
    const auto blocks = plan.BlocksOf(planned);
    return {planned.cached_tokens, planned.count, {blocks.begin(), blocks.end()}, plan.copies};
  }
  Entered EnterAndFinish(RequestId id, const Tokens& tokens) {
    const Entered entered = Enter(id, tokens);
    scheduler_.Finish(id);
    return entered;
  }

  Scheduler scheduler_{{.blocks = 8, .block_tokens = 4}};
};

using Copies = std::vector<BlockCopy>;
constexpr auto kWithin = BlockCopy::Kind::kWithin;

TEST_F(PrefixCacheOfScheduler, WholeBlocksAreSharedAndThePartThatAgreesIsCopied) {
  const Tokens prompt{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(Enter(1, prompt).blocks, (Blocks{0, 1, 2}));
  scheduler_.Extend(1, 10);
  // Nobody has ended: blocks 0 and 1 are held by both. Block 2 is not full.
  const Entered same = Enter(2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 9});
  EXPECT_EQ(same.cached_tokens, 8);
  EXPECT_EQ(same.blocks, (Blocks{0, 1, 3}));
  EXPECT_EQ(same.copies, Copies{});
}

TEST_F(PrefixCacheOfScheduler, TheLastTokenIsComputedForItsLogits) {
  const Tokens prompt{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(EnterAndFinish(1, prompt).cached_tokens, 0);
  EXPECT_EQ(scheduler_.cached_blocks(), 2);
  // All is known, so block 1 is copied and its last token computed again.
  const Entered again = Enter(2, prompt);
  EXPECT_EQ(again.cached_tokens, 7);
  EXPECT_EQ(again.computed, 1);
  EXPECT_EQ(again.blocks, (Blocks{0, 2}));
  EXPECT_EQ(again.copies, (Copies{{kWithin, 1, 2}}));
}

TEST_F(PrefixCacheOfScheduler, AgreementInTheMiddleOfABlockCounts) {
  EnterAndFinish(1, {1, 2, 3, 4, 5, 6, 7, 8});
  const Entered other = Enter(2, {1, 2, 3, 4, 5, 6, 1, 1, 1});
  EXPECT_EQ(other.cached_tokens, 6);
  EXPECT_EQ(other.blocks, (Blocks{0, 2, 3}));
  EXPECT_EQ(other.copies, (Copies{{kWithin, 1, 2}}));
}

TEST_F(PrefixCacheOfScheduler, AnswersAreFoundByTheNextTurn) {
  Enter(1, {1, 2, 3});
  for (const int32_t token : {4, 5, 6, 7, 8}) {
    scheduler_.Extend(1, token);
    scheduler_.Plan(0);
  }
  scheduler_.Finish(1);
  EXPECT_EQ(Enter(2, {1, 2, 3, 4, 5, 6, 7, 8, 9}).cached_tokens, 8);
}

TEST_F(PrefixCacheOfScheduler, TheSourceOfACopyMayBeItsTarget) {
  Scheduler small({.blocks = 1, .block_tokens = 4});
  small.Add({.id = 1, .tokens = {1, 2, 3, 4}});
  small.Plan(0);
  small.Finish(1);
  small.Add({.id = 2, .tokens = {1, 2, 3, 4}});
  const StepPlan& plan = small.Plan(0);
  EXPECT_EQ(plan.sequences.front().cached_tokens, 3);
  EXPECT_EQ(plan.blocks, Blocks{0});
  EXPECT_TRUE(plan.copies.empty());
}

TEST_F(PrefixCacheOfScheduler, ScoredSequencesNeitherLookNorAreFound) {
  const Tokens prompt{1, 2, 3, 4, 5};
  Enter(1, prompt, LogitRows::kAll);
  scheduler_.Finish(1);
  EXPECT_EQ(scheduler_.cached_blocks(), 0);
  EXPECT_EQ(EnterAndFinish(2, prompt).cached_tokens, 0);
  EXPECT_EQ(Enter(3, prompt, LogitRows::kAll).cached_tokens, 0);
}

TEST_F(PrefixCacheOfScheduler, WhatMayBeWrongIsFoundByNobody) {
  const Tokens prompt{1, 2, 3, 4, 5};
  Enter(1, prompt);
  scheduler_.Finish(1, Scheduler::Contents::kForget);
  EXPECT_EQ(scheduler_.free_blocks(), 8);
  EXPECT_EQ(EnterAndFinish(2, prompt).cached_tokens, 0);
  EXPECT_EQ(EnterAndFinish(3, prompt).cached_tokens, 4);
}

TEST_F(PrefixCacheOfScheduler, TotalsCountEachRequestOnce) {
  EnterAndFinish(1, {1, 2, 3, 4, 5});
  EnterAndFinish(2, {1, 2, 3, 4, 6, 7});
  EXPECT_EQ(scheduler_.totals().prompt_tokens, 11);
  EXPECT_EQ(scheduler_.totals().cached_tokens, 4);
}

// Requests that begin alike and come together: the first computes, the others wait for it and let
// those pass who do not.
TEST_F(PrefixCacheOfScheduler, WhatIsBeingComputedIsWaitedFor) {
  const Tokens prompt{1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const RequestId id : {1, 2, 3}) scheduler_.Add({.id = id, .tokens = prompt});
  scheduler_.Add({.id = 4, .tokens = {9, 9}});
  const StepPlan& first = scheduler_.Plan(0);
  ASSERT_EQ(first.sequences.size(), 2U);
  EXPECT_EQ(first.sequences[0].id, 1);
  EXPECT_EQ(first.sequences[1].id, 4);
  EXPECT_EQ(first.decision.awaiting_prefix, 2);
  EXPECT_EQ(scheduler_.waiting(), 2);
  scheduler_.Extend(1, 0);
  scheduler_.Extend(4, 0);
  const StepPlan& second = scheduler_.Plan(0);
  ASSERT_EQ(second.sequences.size(), 4U);
  for (const size_t i : {2U, 3U}) {
    EXPECT_EQ(second.sequences[i].id, static_cast<RequestId>(i));
    EXPECT_EQ(second.sequences[i].cached_tokens, 8);
    EXPECT_EQ(second.sequences[i].count, 1);
  }
}

TEST_F(PrefixCacheOfScheduler, WhoWaitsForAPrefixGoesOnWhenItsOwnerIsGone) {
  Scheduler scheduler({.blocks = 8, .block_tokens = 2, .max_batched_tokens = 2});
  const Tokens prompt{1, 2, 3, 4, 5, 6};
  for (const RequestId id : {1, 2}) scheduler.Add({.id = id, .tokens = prompt});
  scheduler.Plan(0);  // two tokens of 1
  scheduler.Plan(0);  // two more
  scheduler.Finish(1);
  const StepPlan& plan = scheduler.Plan(0);
  ASSERT_EQ(plan.sequences.size(), 1U);
  EXPECT_EQ(plan.sequences[0].cached_tokens, 4);
  EXPECT_EQ(plan.sequences[0].count, 2);
}

}  // namespace
}  // namespace fathom
