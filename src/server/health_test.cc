#include "server/health.h"

#include <gtest/gtest.h>

#include <optional>

#include "server/engine_loop.h"

namespace fathom {
namespace {

TEST(Health, FollowsTheServersLife) {
  Health health(10);
  health.Starting("phase 2 of 3, reading weights");
  EXPECT_STREQ(health.Check(std::nullopt, 0).name(), "starting");
  EXPECT_EQ(health.Check(std::nullopt, 0).reason, "phase 2 of 3, reading weights");
  health.Ready();
  EXPECT_TRUE(health.Check(std::nullopt, 0).ready());
  health.Draining();
  EXPECT_STREQ(health.Check(std::nullopt, 0).name(), "draining");
}

TEST(Health, AStepThatTakesTooLongIsStuckUntilItEnds) {
  Health health(10);
  health.Ready();
  LoopProgress progress{.busy = true, .phase = "computing a step", .since_s = 100, .steps = 7};
  EXPECT_TRUE(health.Check(progress, 110).ready());
  const HealthReport stuck = health.Check(progress, 110.5);
  EXPECT_STREQ(stuck.name(), "stuck");
  EXPECT_EQ(stuck.reason,
            "computing a step has taken 10.5 s so far, expected at most 10 s (step 8)");
  EXPECT_EQ(stuck.step, 8);
  progress.busy = false;  // waiting for requests may take for ever
  EXPECT_TRUE(health.Check(progress, 1e6).ready());
}

TEST(Health, SaysATimeoutBelowASecondAsItIs) {
  Health health(0.5);
  health.Ready();
  const LoopProgress progress{.busy = true, .phase = "delivering", .since_s = 0, .steps = 0};
  EXPECT_EQ(health.Check(progress, 0.75).reason,
            "delivering has taken 0.8 s so far, expected at most 0.5 s (step 1)");
}

}  // namespace
}  // namespace fathom
