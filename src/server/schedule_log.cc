#include "server/schedule_log.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "sched/explain.h"
#include "sched/step_plan.h"

namespace fathom {
namespace {

// Lines that may wait for the sink.
constexpr size_t kStepsBehind = 1000;

}  // namespace

ScheduleLog::ScheduleLog(size_t kept, Sink sink) : kept_(kept), sink_(std::move(sink)) {
  if (sink_) writer_.emplace(1, kStepsBehind);
}

ScheduleLog::Step ScheduleLog::StepOf(const StepPlan& plan, double now_s) {
  return {.plan = {.sequences = plan.sequences,
                   .blocks = {},
                   .copies = {},
                   .preempted = plan.preempted,
                   .expired = plan.expired,
                   .stuck = plan.stuck,
                   .wait_until_s = plan.wait_until_s,
                   .decision = plan.decision,
                   .shape = plan.shape},
          .now_s = now_s};
}

std::string ScheduleLog::Line(const Step& step) {
  return ExplainStep(step.plan, step.now_s).Dump();
}

void ScheduleLog::Record(const StepPlan& plan, double now_s) {
  Step step = StepOf(plan, now_s);
  if (writer_) {
    writer_->Post([this, copy = std::make_shared<const Step>(step)] { sink_(Line(*copy) + "\n"); });
  }
  const std::lock_guard lock(mutex_);
  steps_.push_back(std::move(step));
  if (steps_.size() > kept_) steps_.pop_front();
}

std::string ScheduleLog::Body() const {
  std::deque<Step> steps;
  {
    const std::lock_guard lock(mutex_);
    steps = steps_;
  }
  std::string body = "{\"steps\":[";
  for (const Step& step : steps) {
    if (body.back() != '[') body += ',';
    body += Line(step);
  }
  return body + "]}";
}

}  // namespace fathom
