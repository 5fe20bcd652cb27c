#include "sched/explain.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json.h"
#include "sched/decision.h"
#include "sched/request.h"
#include "sched/step_plan.h"

namespace fathom {
namespace {

std::string LeftWaiting(LeftOut why, RequestId id) {
  StepPlan plan;
  plan.decision.left_out = why;
  plan.decision.left_out_id = id;
  const Json json = ExplainStep(RecordStep(plan, 0));
  const Json* left = json.Find("left_waiting");
  return left == nullptr ? "" : left->Dump();
}

TEST(Explain, WhoIsLeftWaitingHasItsIdWhereOneIsMeant) {
  EXPECT_EQ(LeftWaiting(LeftOut::kNobody, 0), "");
  EXPECT_EQ(LeftWaiting(LeftOut::kBlocks, 7), R"({"id":7,"why":"blocks"})");
  EXPECT_EQ(LeftWaiting(LeftOut::kAfterPreemption, 0), R"({"why":"after_preemption"})");
}

}  // namespace
}  // namespace fathom
