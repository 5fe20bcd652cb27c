#include "server/schedule_log.h"

#include <mutex>
#include <string>
#include <utility>

#include "sched/explain.h"
#include "sched/step_plan.h"

namespace fathom {

void ScheduleLog::Record(const StepPlan& plan, double now_s) {
  std::string line = ExplainStep(plan, now_s).Dump();
  if (sink_) sink_(line + "\n");
  const std::lock_guard lock(mutex_);
  lines_.push_back(std::move(line));
  if (lines_.size() > kept_) lines_.pop_front();
}

std::string ScheduleLog::Body() const {
  const std::lock_guard lock(mutex_);
  std::string body = "{\"steps\":[";
  for (const std::string& line : lines_) {
    if (body.back() != '[') body += ',';
    body += line;
  }
  return body + "]}";
}

}  // namespace fathom
