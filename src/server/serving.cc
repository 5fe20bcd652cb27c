#include "server/serving.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/api_error.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task_threads.h"
#include "engine/engine.h"
#include "net/http_reply.h"
#include "server/admission.h"
#include "server/answer.h"
#include "server/delivery.h"
#include "server/engine_loop.h"
#include "server/metrics.h"
#include "server/open_requests.h"
#include "server/preparation.h"
#include "server/request_log.h"
#include "server/router.h"
#include "server/served_model.h"
#include "server/text_routes.h"

namespace fathom {
namespace {

// Requests that may wait for a thread that prepares them.
constexpr size_t kUnprepared = 1024;
// A body longer than this takes tenths of seconds to prepare, and more.
constexpr size_t kLongBody = 256 << 10;
// Steps that /debug/schedule shows.
constexpr size_t kStepsKept = 100;

Demand DemandOf(const Preparation& preparation) {
  Demand demand{.requests = static_cast<int64_t>(preparation.requests.size())};
  for (const GenerationRequest& request : preparation.requests) {
    demand.tokens += MostTokens(request);
  }
  return demand;
}

// Coming again would not help a request that asks for more.
ServedModel Bounded(ServedModel model, const Admission& admission) {
  model.max_answers = std::min(admission.limit(), kMostChoices);
  return model;
}

// The engine knows no text, so that it can quote none. The place of its errors is a field, or else
// it is the prompt that they are about.
ApiError FromEngine(const Error& error, const std::string& prompt_field) {
  return FromError(QuotesNothing(error), error.where.empty() ? prompt_field : error.where);
}

// What a byte of a body takes, as text, as ids and as an answer with the tokens' texts, at most.
constexpr int64_t kTextBytes = 40;

}  // namespace

Serving::Serving(ServedModel model, Engine& engine, const ServingOptions& options,
                 const Clock& clock, Metrics& metrics, ServerLog& log)
    : answer_memory_(options.max_answer_bytes, options.unsent_bytes),
      admission_(engine.config().scheduler.max_sequences, options.max_queue),
      model_(Bounded(std::move(model), admission_)),
      engine_(engine),
      clock_(clock),
      metrics_(metrics),
      log_(log),
      refusals_(log, metrics, model_.log_text),
      services_{model_.text.tokenizer, metrics, log, model_.log_text},
      delivery_(options.delivery_threads, clock),
      schedule_(kStepsKept, options.explain),
      loop_(engine, clock, schedule_, [this](StepNews news) { Deliver(std::move(news)); }) {
  preparers_.emplace(options.prepare_threads, kUnprepared);
  long_preparer_.emplace(1, kUnprepared);
}

// The threads call each other's owners: all end before anything they use goes.
Serving::~Serving() {
  preparers_.reset();
  long_preparer_.reset();
  loop_.Stop();
  delivery_.Stop();
}

void Serving::Post(RoutedRequest routed,
                   std::function<void(RoutedRequest&, OpenRequests::Token)> work) {
  // Counted before it is looked whether requests are taken: who stops taking them and then counts
  // those that are open misses none.
  OpenRequests::Token open = open_.Open();
  if (!taking_) {
    return Refuse(routed, NotReady("draining", "requests that came before are finished"));
  }
  TaskThreads& threads = routed.request.body.size() > kLongBody ? *long_preparer_ : *preparers_;
  auto shared = std::make_shared<RoutedRequest>(std::move(routed));
  auto task = [this, shared, open, work = std::move(work)] {
    // Those that wait are not worth preparing any more.
    if (const std::optional<ApiError> why = ended()) return Refuse(*shared, *why);
    work(*shared, open);
  };
  if (threads.TryPost(std::move(task))) return;
  Refuse(*shared, TooManyUnprepared(kUnprepared, admission_.RetryAfterSeconds()));
}

void Serving::Answer(RoutedRequest routed, std::function<TextResult(const RoutedRequest&)> answer) {
  Post(std::move(routed), [this, answer = std::move(answer)](const RoutedRequest& request,
                                                             const OpenRequests::Token&) {
    AnswerMemory::Share memory;
    const auto bytes = static_cast<int64_t>(request.request.body.size()) * kTextBytes;
    if (const auto error = Reserve(bytes, memory)) return Refuse(request, *error);
    Reply(request, answer(request));
  });
}

void Serving::Reply(const RoutedRequest& routed, const TextResult& result) {
  if (const auto* error = std::get_if<ApiError>(&result)) return Refuse(routed, *error);
  const auto& text = std::get<TextAnswer>(result);
  log_.UnknownFields(text.unknown_fields);
  routed.SendJson(200, text.body);
}

void Serving::Generate(RoutedRequest routed, Prepare prepare) {
  Post(std::move(routed),
       [this, prepare = std::move(prepare)](RoutedRequest& request, OpenRequests::Token open) {
         Prepared prepared = prepare(request);
         if (const auto* error = std::get_if<ApiError>(&prepared)) return Refuse(request, *error);
         auto& preparation = std::get<Preparation>(prepared);
         preparation.answer.open = std::move(open);
         Accept(std::move(preparation));
       });
}

void Serving::Accept(Preparation preparation) {
  log_.UnknownFields(preparation.unknown_fields);
  if (preparation.ignored_priority) log_.IgnoredPriority();
  const auto choices = static_cast<int64_t>(preparation.requests.size());
  const int64_t to_each_prompt = choices / preparation.answer.prompts;
  for (int64_t i = 0; i < choices; i += to_each_prompt) {
    const Status status = engine_.Validate(preparation.requests[static_cast<size_t>(i)]);
    if (status.ok()) continue;
    return Refuse(preparation.answer.routed, FromEngine(status.error(), preparation.prompt_field));
  }
  if (const auto error = Reserve(preparation.answer.kept_bytes, preparation.answer.memory)) {
    return Refuse(preparation.answer.routed, *error);
  }
  const std::lock_guard lock(accepting_);
  if (ended_) return Refuse(preparation.answer.routed, *ended_);
  if (!admission_.Enter(DemandOf(preparation), clock_.Seconds())) {
    return Refuse(preparation.answer.routed, QueueFull(admission_.inside(), admission_.limit(),
                                                       admission_.RetryAfterSeconds()));
  }
  Submit(std::move(preparation));
}

std::optional<ApiError> Serving::Reserve(int64_t bytes, AnswerMemory::Share& share) {
  if (bytes == 0) return std::nullopt;
  const int64_t most = answer_memory_.limit();
  if (bytes > most) return AnswerTooLarge(bytes, most);
  share = answer_memory_.Reserve(bytes);
  if (share == nullptr) return NoRoomForAnswer(bytes, most);
  return std::nullopt;
}

void Serving::Submit(Preparation preparation) {
  const auto choices = static_cast<int64_t>(preparation.requests.size());
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

std::optional<ApiError> Serving::ended() {
  const std::lock_guard lock(accepting_);
  return ended_;
}

void Serving::EndAll(const ApiError& error) {
  const std::lock_guard lock(accepting_);
  ended_ = error;
  delivery_.AbortAll(error);
}

void Serving::Refuse(const RoutedRequest& routed, const ApiError& error) {
  refusals_.Note(routed.id, routed.request, error);
  routed.SendError(error);
}

void Serving::Deliver(StepNews news) {
  const double now_s = clock_.Seconds();
  for (const TicketEvent& event : news.events) {
    if (event.event.finish) admission_.Leave(event.most_tokens, now_s);
  }
  const int64_t tokens = news.prompt_tokens + news.sampled_tokens;
  if (tokens > 0) metrics_.iteration_tokens.Observe(static_cast<double>(tokens));
  delivery_.Deliver(std::move(news));
}

}  // namespace fathom
