#include "server/start_progress.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/progress.h"
#include "server/health.h"

namespace fathom {
namespace {

TEST(StartProgress, SaysHowMuchOfAPhaseIsDone) {
  Health health(10);
  NoProgress nobody;
  StartProgress progress(nobody, health);
  const auto reason = [&health] { return health.Check(std::nullopt, 0).reason; };
  progress.Begin(2, 3, "reading weights", int64_t{700'000'000'000});
  EXPECT_EQ(reason(), "phase 2 of 3, reading weights");
  progress.Advance(699'999'999);
  EXPECT_EQ(reason(), "phase 2 of 3, reading weights");
  progress.Advance(1);
  EXPECT_EQ(reason(), "phase 2 of 3, reading weights: 0.1 %");
  progress.Advance(261'800'000'000);
  EXPECT_EQ(reason(), "phase 2 of 3, reading weights: 37.5 %");
  progress.Advance(int64_t{500'000'000'000});  // more than was said
  EXPECT_EQ(reason(), "phase 2 of 3, reading weights: 100.0 %");
  progress.End();
  progress.Begin(3, 3, "self-test", 0);
  progress.Advance(5);
  EXPECT_EQ(reason(), "phase 3 of 3, self-test");
}

}  // namespace
}  // namespace fathom
