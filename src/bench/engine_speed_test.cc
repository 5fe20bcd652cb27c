#include "bench/engine_speed.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "base/clock_testing.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "engine/engine.h"
#include "engine/memory_executor_testing.h"
#include "model/model.h"
#include "ops/profile.h"
#include "sched/scheduler_config.h"

namespace fathom {
namespace {

constexpr int64_t kVocab = 50;

// An engine whose model takes a second for each token it computes.
class EngineTimerTest : public testing::Test {
 protected:
  void Make(int64_t blocks) {
    const SchedulerConfig scheduler{.blocks = blocks, .block_tokens = 4, .max_batched_tokens = 16};
    auto executor = std::make_unique<MemoryExecutor>(
        MemoryExecutor::Options{.vocab = kVocab, .blocks = blocks, .block_tokens = 4});
    executor->on_run = [this](const ForwardBatch& batch) {
      clock_.Pass(static_cast<double>(batch.tokens.size()));
      computed_ += static_cast<int64_t>(batch.tokens.size());
    };
    engine_ = std::make_unique<Engine>(std::move(executor),
                                       EngineConfig{.scheduler = scheduler, .max_model_len = 256},
                                       pool_, clock_);
    timer_ = std::make_unique<EngineTimer>(*engine_, profile_, clock_, kVocab, 7);
  }
  Result<EngineSpeed> Run(const EngineCase& measured) { return timer_->Run(measured); }

  ManualClock clock_;
  Profile profile_{clock_};
  ThreadPool pool_{1};
  int64_t computed_ = 0;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<EngineTimer> timer_;
};

constexpr auto kPrefill = EngineCase::Phase::kPrefill;
constexpr auto kDecode = EngineCase::Phase::kDecode;

TEST_F(EngineTimerTest, APromptIsTimedFromItsDepthOn) {
  Make(64);
  const auto speed = Run({kPrefill, 2, 10, 8});
  ASSERT_TRUE(speed.ok()) << speed.error().what;
  EXPECT_EQ(speed->tokens, 20);
  EXPECT_DOUBLE_EQ(speed->seconds, 20);
  EXPECT_EQ(computed_, 16 + 20);
}

TEST_F(EngineTimerTest, ASecondRunFindsNothingOfTheFirstInTheCache) {
  Make(64);
  for (int run = 0; run < 3; ++run) {
    const auto speed = Run({kPrefill, 1, 40, 0});
    ASSERT_TRUE(speed.ok()) << speed.error().what;
    EXPECT_DOUBLE_EQ(speed->seconds, 40);
  }
}

TEST_F(EngineTimerTest, GeneratedTokensAreTimedBehindTheFirst) {
  Make(64);
  const auto speed = Run({kDecode, 3, 5, 4});
  ASSERT_TRUE(speed.ok()) << speed.error().what;
  EXPECT_EQ(speed->tokens, 15);
  EXPECT_DOUBLE_EQ(speed->seconds, 15);
  EXPECT_EQ(computed_, 3 * (4 + 1 + 5));
}

TEST_F(EngineTimerTest, ADepthThatTheCacheLosesIsRefused) {
  Make(8);  // 32 tokens: the second sequence's depth pushes out the first's
  const auto speed = Run({kPrefill, 2, 4, 24});
  ASSERT_FALSE(speed.ok());
  EXPECT_EQ(speed.error().kind, ErrorKind::kDoesNotFit);
  EXPECT_NE(speed.error().what.find("of the 24 tokens"), std::string::npos) << speed.error().what;
}

}  // namespace
}  // namespace fathom
