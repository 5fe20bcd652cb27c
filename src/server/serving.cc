#include "server/serving.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/api_error.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "base/task_thread.h"
#include "engine/engine.h"
#include "net/http_reply.h"
#include "server/admission.h"
#include "server/answer.h"
#include "server/delivery.h"
#include "server/engine_loop.h"
#include "server/metrics.h"
#include "server/preparation.h"
#include "server/request_log.h"
#include "server/router.h"
#include "server/served_model.h"
#include "server/text_routes.h"

namespace fathom {
namespace {

// Requests that may wait for a thread that prepares them.
constexpr size_t kUnprepared = 512;
// Steps that /debug/schedule shows.
constexpr size_t kStepsKept = 100;

// Coming again would not help a request that asks for more.
ServedModel Bounded(ServedModel model, const ServingOptions& options) {
  model.max_answers = std::min(options.max_running + options.max_queue, kMostChoices);
  return model;
}

}  // namespace

Serving::Serving(ServedModel model, Engine& engine, const ServingOptions& options,
                 const Clock& clock, Metrics& metrics, ServerLog& log)
    : model_(Bounded(std::move(model), options)),
      engine_(engine),
      clock_(clock),
      metrics_(metrics),
      log_(log),
      services_{model_.text.tokenizer, metrics, log, model_.log_text},
      admission_(options.max_running, options.max_queue),
      delivery_(options.delivery_threads, clock),
      schedule_(kStepsKept, options.explain),
      loop_(engine, clock, schedule_, [this](StepNews news) { Deliver(std::move(news)); }) {
  for (int i = 0; i < options.prepare_threads; ++i) {
    preparers_.push_back(std::make_unique<TaskThread>(kUnprepared));
  }
}

// The threads call each other's owners: all end before anything they use goes.
Serving::~Serving() {
  preparers_.clear();
  loop_.Stop();
  delivery_.Stop();
}

void Serving::Post(const RoutedRequest& routed, std::function<void()> work) {
  const size_t thread = next_preparer_.fetch_add(1) % preparers_.size();
  if (preparers_[thread]->TryPost(std::move(work))) return;
  Refuse(routed, QueueFull(static_cast<int64_t>(kUnprepared), static_cast<int64_t>(kUnprepared),
                           admission_.RetryAfterSeconds()));
}

void Serving::Answer(RoutedRequest routed, std::function<TextResult(const RoutedRequest&)> answer) {
  auto shared = std::make_shared<RoutedRequest>(std::move(routed));
  Post(*shared, [this, shared, answer = std::move(answer)] {
    const TextResult result = answer(*shared);
    if (const auto* error = std::get_if<ApiError>(&result)) return Refuse(*shared, *error);
    const auto& text = std::get<TextAnswer>(result);
    log_.UnknownFields(text.unknown_fields);
    shared->SendJson(200, text.body);
  });
}

void Serving::Generate(RoutedRequest routed, Prepare prepare) {
  auto shared = std::make_shared<RoutedRequest>(std::move(routed));
  Post(*shared, [this, shared, prepare = std::move(prepare)] {
    Prepared prepared = prepare(*shared);
    if (const auto* error = std::get_if<ApiError>(&prepared)) return Refuse(*shared, *error);
    Accept(std::move(std::get<Preparation>(prepared)));
  });
}

void Serving::Accept(Preparation preparation) {
  log_.UnknownFields(preparation.unknown_fields);
  const auto choices = static_cast<int64_t>(preparation.requests.size());
  const int64_t to_each_prompt = choices / preparation.answer.prompts;
  for (int64_t i = 0; i < choices; i += to_each_prompt) {
    const Status status = engine_.Validate(preparation.requests[static_cast<size_t>(i)]);
    if (!status.ok()) return Refuse(preparation.answer.routed, FromError(status.error()));
  }
  if (!admission_.Enter(choices)) {
    return Refuse(preparation.answer.routed, QueueFull(admission_.inside(), admission_.limit(),
                                                       admission_.RetryAfterSeconds()));
  }
  const Ticket first = delivery_.NextTickets();
  const HttpReply reply = preparation.answer.routed.reply;
  auto cancel = [this, first](size_t choice) { loop_.Cancel(first + static_cast<Ticket>(choice)); };
  delivery_.Open(
      first, std::make_unique<fathom::Answer>(std::move(preparation.answer), services_, cancel));
  for (int64_t i = 0; i < choices; ++i) {
    loop_.Submit(first + i, std::move(preparation.requests[static_cast<size_t>(i)]));
  }
  reply.OnGone([this, first, choices] {
    for (int64_t i = 0; i < choices; ++i) loop_.Cancel(first + i);
  });
}

void Serving::Refuse(const RoutedRequest& routed, const ApiError& error) {
  metrics_.refused.Add();
  log_.Info("refused", {{"id", routed.id},
                        {"path", routed.request.path},
                        {"client", routed.request.peer},
                        {"status", error.status},
                        {"code", error.code},
                        {"message", error.message}});
  routed.SendError(error);
}

void Serving::Deliver(StepNews news) {
  const double now_s = clock_.Seconds();
  for (const TicketEvent& event : news.events) {
    if (event.event.finish) admission_.Leave(now_s);
  }
  const int64_t tokens = news.prompt_tokens + news.sampled_tokens;
  if (tokens > 0) metrics_.iteration_tokens.Observe(static_cast<double>(tokens));
  delivery_.Deliver(std::move(news));
}

}  // namespace fathom
