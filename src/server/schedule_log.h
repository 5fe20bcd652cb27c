#ifndef FATHOM_SERVER_SCHEDULE_LOG_H_
#define FATHOM_SERVER_SCHEDULE_LOG_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "sched/step_plan.h"

namespace fathom {

// Why the last steps were as they were: one JSON object each (sched/explain.h). Threads: any.
class ScheduleLog {
 public:
  using Sink = std::function<void(std::string_view line)>;

  // Keeps the last `kept` steps. `sink` (may be empty) gets the line of each.
  ScheduleLog(size_t kept, Sink sink) : kept_(kept), sink_(std::move(sink)) {}

  void Record(const StepPlan& plan, double now_s);
  // {"steps": [...]}, the newest last.
  std::string Body() const;

 private:
  const size_t kept_;
  const Sink sink_;
  mutable std::mutex mutex_;
  std::deque<std::string> lines_;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_SCHEDULE_LOG_H_
