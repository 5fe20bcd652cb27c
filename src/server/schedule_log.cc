#include "server/schedule_log.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/task_threads.h"
#include "sched/explain.h"
#include "sched/step_plan.h"

namespace fathom {
namespace {

constexpr size_t kMostUnwritten = 4096;  // lines

}  // namespace

ScheduleLog::ScheduleLog(size_t kept, Sink sink) : kept_(kept), sink_(std::move(sink)) {
  if (sink_) writer_ = std::make_unique<TaskThreads>(1, kMostUnwritten);
}

void ScheduleLog::Record(const StepPlan& plan, double now_s) {
  StepRecord step = RecordStep(plan, now_s);
  if (writer_ != nullptr) {
    writer_->Post([this, step] { sink_(ExplainStep(step).Dump() + "\n"); });
  }
  const std::lock_guard lock(mutex_);
  steps_.push_back(std::move(step));
  if (steps_.size() > kept_) steps_.pop_front();
}

std::string ScheduleLog::Body() const {
  std::deque<StepRecord> kept;
  {
    const std::lock_guard lock(mutex_);
    kept = steps_;
  }
  Json steps = Json::MakeArray();
  for (const StepRecord& step : kept) steps.Append(ExplainStep(step));
  return Json::MakeObject({{"steps", std::move(steps)}}).Dump();
}

}  // namespace fathom
