#include "sched/policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sched/decision.h"
#include "sched/explain.h"
#include "sched/mindie_policy.h"
#include "sched/scheduler_config.h"
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

// Paragraphs are those of docs/formats/mindie-scheduling.md.

// "Prefill, except that it is decode when something is swapped out, or when a prefill is not due,
// or when less than 5 % of the blocks are free [...]. A prefill is due when the oldest request has
// waited maxQueueDelayMicroseconds, or when that is more than 5000 and maxPrefillBatchSize requests
// wait." (3.1)
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

// "While requests wait, a prefill costs prefillTimeMsPerReq for each sequence that runs, and each
// choice adds to the waste decodeTimeMsPerReq for each place of maxBatchSize where none does. Then
// the two are compared: decode if the cost is more than the waste so far; else prefill, and the
// waste begins anew. It does so too when nobody waits." (3.1)
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
      {1, 8, Stage::kDecode, 100},  // 1200 > 50 * 2
      {1, 8, Stage::kDecode, 200},  // 1200 > 100 + 100
      {1, 7, Stage::kDecode, 350},  // 1050 > 200 + 50 * 3
      {1, 4, Stage::kPrefill, 0},   // 600 <= 350 + 50 * 6
      {1, 2, Stage::kPrefill, 0},   // 300 <= 50 * 8: at once
      {1, 3, Stage::kDecode, 350},  // 450 > 50 * 7
      {0, 3, Stage::kDecode, 0},    // nobody waits: begins anew
      {2, 10, Stage::kDecode, 0},   // 1500 > 0; a full batch wastes nothing
      {1, 0, Stage::kPrefill, 0},   // nothing decodes, so nothing is lost: 0 <= 500
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

// "Laxity = (expected - waited - predicted) / expected. Of a prefill: prefillExpectedTime, the wait
// of the first that waits [...]. Of decoding: decodeExpectedTime, no wait [...]. The smaller goes
// first, decoding among equals. Nothing runs: prefill; nobody waits [...]: decode." (3.1)
TEST(PolicyMindie, LaxityGivesTheStepToWhoHasLessTimeToSpare) {
  MindiePolicy policy;
  policy.stage_select_policy = 2;
  policy.prefill_expected_s = 1.5;
  policy.decode_expected_s = 0.05;
  policy.dynamic_batch_size = true;
  const StepPredictor predict = [](const StepShape& shape) {
    return 0.001 * static_cast<double>(shape.prefill_tokens) +
           0.002 * static_cast<double>(shape.decoding);
  };
  struct Row {
    int64_t waiting;
    int64_t decoding;
    int64_t swapped;
    int64_t tokens;
    double waited_s;
    int64_t decode_batch;
    Rule rule;
  };
  const Row rows[] = {
      {1, 0, 0, 300, 0, 0, Rule::kLaxityOnlyPrefill},
      {0, 5, 0, 0, 0, 0, Rule::kLaxityOnlyDecode},
      // (1.5 - 0.3) / 1.5 = 0.8; (0.05 - 0.01) / 0.05 = 0.8: decoding among equals
      {1, 5, 0, 300, 0, 0, Rule::kLaxityDecode},
      {1, 5, 0, 300, 0.01, 0, Rule::kLaxityPrefill},  // 0.793; 0.8
      {1, 5, 0, 301, 0, 0, Rule::kLaxityPrefill},     // 0.799; 0.8: a token more to compute
      {1, 6, 0, 300, 0.01, 0, Rule::kLaxityDecode},   // 0.793; 0.76
      {1, 5, 1, 300, 0.01, 0, Rule::kLaxityDecode},   // who is swapped out decodes too
      {1, 30, 0, 300, 1.6, 0, Rule::kLaxityPrefill},  // -0.267; -0.2: both late
      // As many decode as the dynamic batch allows.
      {1, 5, 0, 300, 1.6, 5, Rule::kLaxityBatchFull},
      {1, 5, 0, 300, 1.6, 6, Rule::kLaxityPrefill},
      {1, 0, 0, 300, 0, 1, Rule::kLaxityOnlyPrefill},
  };
  int line = 0;
  for (const Row& row : rows) {
    MindieState state;
    state.decode_batch = row.decode_batch;
    Decision decision;
    const Load load{.now_s = 10,
                    .waiting = row.waiting,
                    .decoding = row.decoding,
                    .swapped = row.swapped,
                    .blocks = 10,
                    .next_arrival_s = 10 - row.waited_s,
                    .waiting_tokens = row.tokens};
    ChooseMindie(policy, load, predict, state, decision);
    EXPECT_EQ(decision.rule, row.rule) << line++;
  }
}

TEST(PolicyMindie, NoPrefillIsChosenWhereOnlySwappedOnesComeBack) {
  for (const int64_t select : {0, 1, 2}) {
    MindiePolicy policy;
    policy.stage_select_policy = select;
    MindieState state;
    state.decode_waste_ms = 7;
    Decision decision;
    const Load load{.waiting = 3, .swapped = 1, .blocks = 10, .all_behind_swapped = true};
    EXPECT_EQ(ChooseMindie(policy, load, kNoTime, state, decision), Stage::kDecode);
    EXPECT_EQ(decision.rule, Rule::kSwappedOut);
    EXPECT_EQ(state.decode_waste_ms, 7);
  }
}

// "Every second time the batch is searched: between two ends that move by 2 or 3 down while tokens
// come later than decodeExpectedTime + 5 ms, up while they come earlier than - 5 ms, it goes to
// their middle by at most 2, from 3 to maxBatchSize. In between, while tokens come late, it is what
// decodes." (3.1)
class DynamicBatch : public testing::Test {
 protected:
  DynamicBatch() {
    policy_.max_batch_size = 20;
    policy_.max_prefill_batch_size = 8;
    policy_.dynamic_batch_size = true;
    policy_.decode_expected_s = 0.050;
    config_.mindie = policy_;
  }
  // All tokens that count were of steps like this.
  void Seen(int64_t decoding, double seconds) {
    recent_ = RecentDecoding();
    for (int64_t tokens = 0; tokens < 2000; tokens += decoding) {
      recent_.Observe({.prefill_tokens = 0, .decoding = decoding}, seconds);
    }
  }
  std::vector<int64_t> Adjust(int times, int64_t decoding) {
    std::vector<int64_t> sizes;
    for (int i = 0; i < times; ++i) {
      AdjustDecodeBatch(policy_, recent_, decoding, state_);
      sizes.push_back(state_.decode_batch);
    }
    return sizes;
  }
  int64_t Entering(int64_t decoding) const {
    return MindieLimits(config_, Stage::kPrefill, decoding, state_).entering;
  }

  MindiePolicy policy_;
  SchedulerConfig config_;
  RecentDecoding recent_;
  MindieState state_;
};
using Sizes = std::vector<int64_t>;

TEST_F(DynamicBatch, IsThreeUntilEnoughTokensWereSeen) {
  EXPECT_EQ(Entering(0), 8);  // nothing was seen: maxPrefillBatchSize
  recent_.Observe({.prefill_tokens = 0, .decoding = 10}, 0.001);
  EXPECT_EQ(Adjust(3, 0), (Sizes{3, 3, 3}));
  EXPECT_EQ(Entering(1), 2);
  EXPECT_EQ(Adjust(1, 7), Sizes{7});  // nobody who runs is stopped
  EXPECT_EQ(Entering(7), 0);
}

TEST_F(DynamicBatch, GrowsByTwoWhileTokensComeEarly) {
  Seen(10, 0.040);  // 40 ms, less than 45
  Adjust(1, 10);
  EXPECT_EQ(state_.decode_batch, 10);
  // Between 10 and 10 first: low 7 and high 12, then 9 to 14, 10 to 16, 10 to 18, 10 to 20.
  EXPECT_EQ(Adjust(12, 2), (Sizes{10, 9, 9, 11, 11, 13, 13, 14, 14, 15, 15, 15}));
  EXPECT_EQ(Entering(2), 8);
  EXPECT_EQ(Entering(10), 5);
  EXPECT_EQ(Entering(15), 0);
  EXPECT_EQ(Entering(17), 0);
}

TEST_F(DynamicBatch, ShrinksWhileTokensComeLateAndLetsNobodyEnterEverySecondTime) {
  Seen(10, 0.060);  // more than 55
  Adjust(1, 0);
  state_.decode_batch = 10;
  // Between 10 and 10: low 8 and high 13, 6 and 11, 4 and 10, 3 and 10. With nothing that decodes
  // the batch of in between is kept.
  EXPECT_EQ(Adjust(8, 0), (Sizes{10, 10, 10, 8, 8, 7, 7, 6}));
  EXPECT_EQ(Adjust(1, 5), Sizes{5});
  EXPECT_EQ(Entering(5), 0);
  EXPECT_EQ(Adjust(1, 4), Sizes{6});  // (3 + 10) / 2
  EXPECT_EQ(Entering(4), 2);
  EXPECT_EQ(Adjust(2, 9), (Sizes{9, 9}));  // 6 is less than what decodes
}

TEST_F(DynamicBatch, StaysWhereTokensComeInTime) {
  Seen(10, 0.054);
  Adjust(1, 10);
  // Between 10 - 2 and 10 + 3.
  EXPECT_EQ(Adjust(6, 0), (Sizes{10, 10, 10, 10, 10, 10}));
  Seen(2, 0.054);
  // Between 3, the least, and 5: by 2 at a time.
  EXPECT_EQ(Adjust(8, 0), (Sizes{10, 8, 8, 6, 6, 4, 4, 4}));
}

TEST(RecentDecoding, CountsEachTokenOnceAndThePrefillsBetween) {
  RecentDecoding recent;
  EXPECT_EQ(recent.SecondsPerToken(), 0);
  EXPECT_EQ(recent.Batch(), 0);
  recent.Observe({.prefill_tokens = 0, .decoding = 1}, 0.010);
  recent.Observe({.prefill_tokens = 500, .decoding = 0}, 0.030);
  recent.Observe({.prefill_tokens = 0, .decoding = 3}, 0.020);
  EXPECT_EQ(recent.tokens(), 4);
  EXPECT_DOUBLE_EQ(recent.SecondsPerToken(), (0.010 + 3 * 0.050) / 4);
  EXPECT_EQ(recent.Batch(), 2);  // (1 + 9) / 4
  // What is older than 20,000 tokens counts no more.
  for (int i = 0; i < 200; ++i) recent.Observe({.prefill_tokens = 0, .decoding = 100}, 0.040);
  EXPECT_EQ(recent.tokens(), 20'000);
  EXPECT_EQ(recent.Batch(), 100);
  EXPECT_NEAR(recent.SecondsPerToken(), 0.040, 1e-9);
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
