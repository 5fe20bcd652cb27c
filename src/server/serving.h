#ifndef FATHOM_SERVER_SERVING_H_
#define FATHOM_SERVER_SERVING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "api/api_error.h"
#include "base/clock.h"
#include "base/task_thread.h"
#include "engine/engine.h"
#include "server/admission.h"
#include "server/answer.h"
#include "server/delivery.h"
#include "server/engine_loop.h"
#include "server/metrics.h"
#include "server/preparation.h"
#include "server/refusals.h"
#include "server/request_log.h"
#include "server/router.h"
#include "server/schedule_log.h"
#include "server/served_model.h"
#include "server/text_routes.h"

namespace fathom {

struct ServingOptions {
  int64_t max_running = 64;        // the engine's sequences
  int64_t max_queue = 1024;        // requests beside them that may wait
  int prepare_threads = 2;         // parse, render and tokenize
  int delivery_threads = 2;        // detokenize and write
  ScheduleLog::Sink explain = {};  // gets a line of JSON for each step
};

// A model at work: from a routed request to the answer's last byte. Text is prepared on threads of
// its own, admitted or refused, submitted to the engine's thread, and its events delivered.
//
// Threads   Generate and Answer from any thread; they do not wait.
// Lifetime  all arguments outlive it, and no request may come once its destruction begins.
class Serving {
 public:
  using Prepare = std::function<Prepared(RoutedRequest&)>;

  Serving(ServedModel model, Engine& engine, const ServingOptions& options, const Clock& clock,
          Metrics& metrics, ServerLog& log);

  ~Serving();
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  // Answers a request for tokens: chat or completion, as `prepare` reads it.
  void Generate(RoutedRequest routed, Prepare prepare);
  // Answers a request that needs the tokenizer alone.
  void Answer(RoutedRequest routed, std::function<TextResult(const RoutedRequest&)> answer);

  // Time goes by.
  void Tick() { delivery_.Tick(); }
  // Ends every request with an error.
  void AbortAll(const ApiError& error) { delivery_.AbortAll(error); }
  // Requests that wait or run.
  int64_t open() const { return admission_.inside(); }

  const ServedModel& model() const { return model_; }
  const EngineLoop& loop() const { return loop_; }
  // Why the last steps were as they were.
  const ScheduleLog& schedule() const { return schedule_; }

 private:
  // Off the network's threads; refused when too much waits.
  void Post(const RoutedRequest& routed, std::function<void()> work);
  void Accept(Preparation preparation);
  void Refuse(const RoutedRequest& routed, const ApiError& error);
  void Deliver(StepNews news);

  const ServedModel model_;
  const Engine& engine_;
  const Clock& clock_;
  Metrics& metrics_;
  ServerLog& log_;
  Refusals refusals_;
  const AnswerServices services_;
  Admission admission_;
  Delivery delivery_;
  ScheduleLog schedule_;
  EngineLoop loop_;
  std::atomic<size_t> next_preparer_ = 0;
  std::vector<std::unique_ptr<TaskThread>> preparers_;  // last: they use all of the above
};

}  // namespace fathom

#endif  // FATHOM_SERVER_SERVING_H_
