#include "server/schedule_log.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "sched/explain.h"
#include "sched/step_plan.h"

namespace fathom {
namespace {

// A plan in which everything is set that a line may tell.
StepPlan Plan(int64_t id) {
  StepPlan plan;
  plan.sequences = {{.id = id, .first_token = 0, .count = 5, .cached_tokens = 3, .enters = true}};
  plan.blocks = {1, 2, 3};
  plan.preempted = {{.id = id + 1, .in_favour_of = id, .blocks = 4}};
  plan.expired = {id + 2};
  plan.stuck = Stuck{id + 3, "9 blocks of 4"};
  plan.wait_until_s = 17.5;
  plan.decision.Compare("waiting", 2);
  plan.decision.still_waiting = 2;
  plan.shape.prefill_tokens = 5;
  return plan;
}

TEST(ScheduleLog, TellsOfTheLastStepsWhatThePlanSaid) {
  ScheduleLog log(2, {});
  EXPECT_EQ(log.Body(), R"({"steps":[]})");
  for (int64_t i = 0; i < 5; ++i) log.Record(Plan(10 * i), static_cast<double>(i));
  EXPECT_EQ(log.Body(), "{\"steps\":[" + ExplainStep(RecordStep(Plan(30), 3)).Dump() + "," +
                            ExplainStep(RecordStep(Plan(40), 4)).Dump() + "]}");
}

// On a thread of its own, and nothing is lost when the log goes before all is written.
TEST(ScheduleLog, TheSinkGetsEveryLineInOrder) {
  std::vector<std::string> lines;
  std::promise<void> go;
  {
    ScheduleLog log(1, [&](std::string_view line) {
      if (lines.empty()) go.get_future().wait();
      lines.emplace_back(line);
    });
    for (int64_t i = 0; i < 100; ++i) log.Record(Plan(i), static_cast<double>(i));
    go.set_value();
  }
  ASSERT_EQ(lines.size(), 100U);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto id = static_cast<int64_t>(i);
    EXPECT_EQ(lines[i], ExplainStep(RecordStep(Plan(id), static_cast<double>(i))).Dump() + "\n");
  }
}

}  // namespace
}  // namespace fathom
