#ifndef FATHOM_SERVER_SCHEDULE_LOG_H_
#define FATHOM_SERVER_SCHEDULE_LOG_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/task_threads.h"
#include "sched/explain.h"
#include "sched/step_plan.h"

namespace fathom {

// Why the last steps were as they were: one JSON object each (sched/explain.h). Threads: any.
class ScheduleLog {
 public:
  using Sink = std::function<void(std::string_view line)>;

  // Keeps the last `kept` steps. `sink` (may be empty) gets the line of each, on a thread of its
  // own: a slow disk holds up a step only when thousands of lines wait for it.
  ScheduleLog(size_t kept, Sink sink);

  void Record(const StepPlan& plan, double now_s);
  // {"steps": [...]}, the newest last.
  std::string Body() const;

 private:
  const size_t kept_;
  const Sink sink_;
  mutable std::mutex mutex_;
  std::deque<StepRecord> steps_;
  std::unique_ptr<TaskThreads> writer_;  // last: it uses sink_; none without one
};

}  // namespace fathom

#endif  // FATHOM_SERVER_SCHEDULE_LOG_H_
