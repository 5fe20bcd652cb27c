#ifndef FATHOM_SERVER_ENGINE_LOOP_H_
#define FATHOM_SERVER_ENGINE_LOOP_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "engine/engine.h"
#include "sched/request.h"
#include "server/metrics.h"
#include "server/schedule_log.h"

namespace fathom {

// What a request is called outside the engine; whoever submits makes it up, each one once.
using Ticket = int64_t;

struct TicketEvent {
  Ticket ticket = 0;
  EngineEvent event;
  int64_t most_tokens = 0;  // of prompt and answer, as was submitted
};

// Of prompt and answer, as it is submitted.
int64_t MostTokens(const GenerationRequest& request);

// What came of one step.
struct StepNews {
  std::vector<TicketEvent> events;
  int64_t prompt_tokens = 0;
  int64_t sampled_tokens = 0;
};

// Where the engine's thread is, for health and the watchdog.
struct LoopProgress {
  bool busy = false;       // a step is being made, or its news delivered
  std::string_view phase;  // "computing a step"; a literal
  double since_s = 0;      // when it began
  int64_t steps = 0;       // made so far
};

// The one thread that owns an engine. Commands come in through a queue, news of each step goes out
// through a function that is called on the engine's thread; each submitted ticket gets exactly one
// event with `finish`, its last.
//
// Threads   Submit, Cancel, progress and gauges from any thread; they never wait for a step.
// Lifetime  engine, clock, log and what `deliver` uses outlive it.
class EngineLoop {
 public:
  using Deliver = std::function<void(StepNews)>;

  // Each step's plan goes to `schedule`.
  EngineLoop(Engine& engine, const Clock& clock, ScheduleLog& schedule, Deliver deliver);
  // Stops, as Stop.
  ~EngineLoop();
  EngineLoop(const EngineLoop&) = delete;
  EngineLoop& operator=(const EngineLoop&) = delete;

  // A request that Engine::Validate takes.
  void Submit(Ticket ticket, GenerationRequest request);
  // Ends it with kCancelled before the next step, which gives its blocks to others. Unknown or
  // ended tickets are ignored.
  void Cancel(Ticket ticket);

  // Ends the thread after the step it is in; requests still open get no more events. What is
  // submitted or cancelled from now on has no effect.
  void Stop();

  LoopProgress progress() const;
  EngineGauges gauges() const;

 private:
  struct Submission {
    Ticket ticket;
    GenerationRequest request;
  };
  struct Cancellation {
    Ticket ticket;
  };
  using Command = std::variant<Submission, Cancellation>;

  void Run();
  // Waits for commands when the engine has nothing to do; false when the thread is to end.
  bool TakeCommands();
  void Apply(Submission submission);
  void Apply(const Cancellation& cancellation);
  void Enter(std::string_view phase, bool busy);
  void Publish();
  StepNews Collect(StepResult result);
  void Post(Command command);

  Engine& engine_;
  const Clock& clock_;
  ScheduleLog& schedule_;
  const Deliver deliver_;

  std::mutex commands_mutex_;
  std::condition_variable commands_came_;
  std::vector<Command> commands_;
  bool stop_ = false;

  // The engine thread's own.
  std::vector<Command> taken_;
  std::optional<double> wait_until_s_;  // the last step asked for
  std::unordered_map<Ticket, RequestId> request_of_;
  struct Open {
    Ticket ticket = 0;
    int64_t most_tokens = 0;
  };
  std::unordered_map<RequestId, Open> open_;

  mutable std::mutex state_mutex_;
  LoopProgress progress_;
  EngineGauges gauges_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace fathom

#endif  // FATHOM_SERVER_ENGINE_LOOP_H_
