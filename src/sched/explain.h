#ifndef FATHOM_SCHED_EXPLAIN_H_
#define FATHOM_SCHED_EXPLAIN_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sched/decision.h"
#include "sched/request.h"
#include "sched/step_plan.h"
#include "sched/step_time.h"

namespace fathom {

struct RuleText {
  std::string_view name;       // in logs
  std::string_view text;       // for a person
  std::string_view paragraph;  // of docs/formats/mindie-scheduling.md; empty for rules of our own
};
RuleText TextOf(Rule rule);

std::string_view StageName(Stage stage);
std::string_view LeftOutName(LeftOut why);

// What is kept of a plan to explain it later; cheap to make at every step.
struct StepRecord {
  double now_s = 0;
  Decision decision;
  StepShape shape;
  int64_t entered = 0;  // sequences that did not run before
  int64_t cached_tokens = 0;
  std::vector<Preemption> preempted;
  std::vector<RequestId> expired;
  std::optional<double> wait_until_s;
  std::optional<Stuck> stuck;
};
StepRecord RecordStep(const StepPlan& plan, double now_s);

// What a step does and why, for one line of a log (Json::Dump): the stage, the rule with its
// paragraph and the numbers it compared, how much is computed, who was left waiting, who lost its
// blocks, who ran out of time, who can never go on. What does not apply is left out.
Json ExplainStep(const StepRecord& step);

}  // namespace fathom

#endif  // FATHOM_SCHED_EXPLAIN_H_
