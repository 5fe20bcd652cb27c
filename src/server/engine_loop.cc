#include "server/engine_loop.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "engine/engine.h"
#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"
#include "server/metrics.h"
#include "server/schedule_log.h"

namespace fathom {
namespace {

EngineGauges ReadGauges(const Engine& engine) {
  const Scheduler& scheduler = engine.scheduler();
  const SchedulerConfig& config = engine.config().scheduler;
  return {.running = scheduler.running(),
          .waiting = scheduler.waiting(),
          .swapped = scheduler.swapped(),
          .blocks = config.blocks,
          .held_blocks = scheduler.held_blocks(),
          .block_tokens = config.block_tokens,
          .preemptions = scheduler.totals().recomputed + scheduler.totals().swapped_out,
          .prefix_queried_tokens = scheduler.totals().prompt_tokens,
          .prefix_hit_tokens = scheduler.totals().cached_tokens};
}

}  // namespace

int64_t MostTokens(const GenerationRequest& request) {
  return static_cast<int64_t>(request.prompt.size()) + request.max_tokens;
}

EngineLoop::EngineLoop(Engine& engine, const Clock& clock, ScheduleLog& schedule, Deliver deliver)
    : engine_(engine),
      clock_(clock),
      schedule_(schedule),
      deliver_(std::move(deliver)),
      gauges_(ReadGauges(engine)),
      thread_([this] { Run(); }) {}

EngineLoop::~EngineLoop() { Stop(); }

void EngineLoop::Stop() {
  {
    const std::lock_guard lock(commands_mutex_);
    stop_ = true;
  }
  commands_came_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void EngineLoop::Submit(Ticket ticket, GenerationRequest request) {
  Post(Submission{ticket, std::move(request)});
}

void EngineLoop::Cancel(Ticket ticket) { Post(Cancellation{ticket}); }

void EngineLoop::Post(Command command) {
  {
    const std::lock_guard lock(commands_mutex_);
    commands_.push_back(std::move(command));
  }
  commands_came_.notify_one();
}

LoopProgress EngineLoop::progress() const {
  LoopProgress progress;
  {
    const std::lock_guard lock(state_mutex_);
    progress = progress_;
  }
  const EnginePhase phase = engine_.phase();
  if (progress.busy && phase != EnginePhase::kBetweenSteps) {
    progress.phase = EnginePhaseName(phase);
  }
  return progress;
}

EngineGauges EngineLoop::gauges() const {
  const std::lock_guard lock(state_mutex_);
  return gauges_;
}

void EngineLoop::Run() {
  while (TakeCommands()) {
    for (Command& command : taken_) {
      std::visit([this](auto& taken) { Apply(std::move(taken)); }, command);
    }
    taken_.clear();
    Enter("making a step", true);
    StepResult result = engine_.Step();
    wait_until_s_ = result.wait_until_s;
    Enter("writing the step's explanation", true);
    schedule_.Record(*engine_.last_plan(), clock_.Seconds());
    StepNews news = Collect(std::move(result));
    Publish();
    Enter("delivering", true);
    deliver_(std::move(news));
  }
}

bool EngineLoop::TakeCommands() {
  std::unique_lock lock(commands_mutex_);
  if (commands_.empty() && !stop_ && engine_.idle()) {
    Enter("waiting for requests", false);
    commands_came_.wait(lock, [this] { return stop_ || !commands_.empty(); });
  } else if (wait_until_s_) {
    // A rule of the scheduler lets requests wait for others.
    Enter("letting requests wait for others", false);
    const std::chrono::duration<double> wait(*wait_until_s_ - clock_.Seconds());
    commands_came_.wait_for(lock, wait, [this] { return stop_ || !commands_.empty(); });
  }
  taken_.swap(commands_);
  return !stop_;
}

void EngineLoop::Apply(Submission submission) {
  const int64_t most_tokens = MostTokens(submission.request);
  const RequestId id = engine_.Add(std::move(submission.request));
  request_of_[submission.ticket] = id;
  open_[id] = {submission.ticket, most_tokens};
}

void EngineLoop::Apply(const Cancellation& cancellation) {
  const auto entry = request_of_.find(cancellation.ticket);
  if (entry != request_of_.end()) engine_.Cancel(entry->second);
}

StepNews EngineLoop::Collect(StepResult result) {
  StepNews news{{}, result.prompt_tokens, result.sampled_tokens};
  news.events.reserve(result.events.size());
  for (EngineEvent& event : result.events) {
    const auto entry = open_.find(event.id);
    const Open open = entry->second;
    if (event.finish) {
      request_of_.erase(open.ticket);
      open_.erase(entry);
    }
    news.events.push_back({open.ticket, std::move(event), open.most_tokens});
  }
  return news;
}

void EngineLoop::Enter(std::string_view phase, bool busy) {
  const double now = clock_.Seconds();
  const std::lock_guard lock(state_mutex_);
  progress_.busy = busy;
  progress_.phase = phase;
  progress_.since_s = now;
}

void EngineLoop::Publish() {
  EngineGauges gauges = ReadGauges(engine_);
  const std::lock_guard lock(state_mutex_);
  ++progress_.steps;
  gauges_ = gauges;
}

}  // namespace fathom
