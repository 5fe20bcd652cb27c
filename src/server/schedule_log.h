#ifndef FATHOM_SERVER_SCHEDULE_LOG_H_
#define FATHOM_SERVER_SCHEDULE_LOG_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/task_threads.h"
#include "sched/step_plan.h"

namespace fathom {

// Why the last steps were as they were: one JSON object each (sched/explain.h). The engine's thread
// pays for a copy of numbers: they become text where somebody asks, or on the sink's thread.
// Threads: any.
class ScheduleLog {
 public:
  using Sink = std::function<void(std::string_view line)>;

  // Keeps the last `kept` steps, at least 1. `sink` (may be empty) gets the line of each, in order,
  // on a thread of its own; Record waits for it when it is a thousand steps behind.
  ScheduleLog(size_t kept, Sink sink);

  void Record(const StepPlan& plan, double now_s);
  // {"steps": [...]}, the newest last.
  std::string Body() const;

 private:
  struct Step {
    StepPlan plan;  // without its blocks and copies
    double now_s = 0;
  };
  static Step StepOf(const StepPlan& plan, double now_s);
  static std::string Line(const Step& step);

  const size_t kept_;
  const Sink sink_;
  mutable std::mutex mutex_;
  std::deque<Step> steps_;
  std::optional<TaskThreads> writer_;  // last: it calls the sink, and writes all before it ends
};

}  // namespace fathom

#endif  // FATHOM_SERVER_SCHEDULE_LOG_H_
