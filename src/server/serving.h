#ifndef FATHOM_SERVER_SERVING_H_
#define FATHOM_SERVER_SERVING_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "api/api_error.h"
#include "base/clock.h"
#include "base/task_threads.h"
#include "engine/engine.h"
#include "server/admission.h"
#include "server/answer.h"
#include "server/answer_memory.h"
#include "server/delivery.h"
#include "server/engine_loop.h"
#include "server/metrics.h"
#include "server/open_requests.h"
#include "server/preparation.h"
#include "server/refusals.h"
#include "server/request_log.h"
#include "server/router.h"
#include "server/schedule_log.h"
#include "server/served_model.h"
#include "server/text_routes.h"

namespace fathom {

struct ServingOptions {
  int64_t max_queue = 1024;  // requests that may wait beside those the engine computes
  // For answers that are not streamed and tell of each token: more get 503.
  int64_t max_answer_bytes = 1 << 30;
  // Of answers that are made and that clients have not taken; none: not known.
  std::function<int64_t()> unsent_bytes = {};
  int prepare_threads = 2;         // parse, render and tokenize bodies of usual length
  int delivery_threads = 2;        // detokenize and write
  ScheduleLog::Sink explain = {};  // gets a line of JSON for each step
};

// A model at work: from a routed request to the answer's last byte. Text is prepared on threads of
// its own (long bodies one after the other on one that is theirs, so that they hold up no short
// ones), admitted or refused, submitted to the engine's thread, and its events delivered.
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
  // Answers a request at once.
  void Reply(const RoutedRequest& routed, const TextResult& result);

  // Time goes by.
  void Tick() { delivery_.Tick(); }
  // Refuses the requests that come from now on.
  void StopTaking() { taking_ = false; }
  // Ends every request with an error, also those that are still being prepared.
  void EndAll(const ApiError& error);
  // Requests that were taken and whose answers are not written yet.
  int64_t open() const { return open_.count(); }
  // Requests that were taken so far.
  int64_t taken() const { return open_.taken(); }

  const ServedModel& model() const { return model_; }
  const EngineLoop& loop() const { return loop_; }
  // Why the last steps were as they were.
  const ScheduleLog& schedule() const { return schedule_; }

 private:
  // Runs `work` off the network's threads, unless nothing is taken any more or too much waits.
  void Post(RoutedRequest routed, std::function<void(RoutedRequest&, OpenRequests::Token)> work);
  void Accept(Preparation preparation);
  void Submit(Preparation preparation);
  // Takes the memory that the answer may come to; the error when there is none.
  std::optional<ApiError> Reserve(int64_t bytes, AnswerMemory::Share& share);
  std::optional<ApiError> ended();
  void Refuse(const RoutedRequest& routed, const ApiError& error);
  void Deliver(StepNews news);

  OpenRequests open_;
  AnswerMemory answer_memory_;
  Admission admission_;
  const ServedModel model_;
  const Engine& engine_;
  const Clock& clock_;
  Metrics& metrics_;
  ServerLog& log_;
  Refusals refusals_;
  const AnswerServices services_;
  Delivery delivery_;
  ScheduleLog schedule_;
  EngineLoop loop_;
  std::atomic<bool> taking_ = true;
  std::mutex accepting_;                      // a request is accepted whole, or refused because of:
  std::optional<ApiError> ended_;             // why nothing is accepted any more
  std::optional<TaskThreads> preparers_;      // last: they use all of the above
  std::optional<TaskThreads> long_preparer_;  // so does it
};

}  // namespace fathom

#endif  // FATHOM_SERVER_SERVING_H_
