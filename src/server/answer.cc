#include "server/answer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "api/reasoning_splitter.h"
#include "api/response.h"
#include "api/text_stream.h"
#include "base/json.h"
#include "engine/engine.h"
#include "net/http_message.h"
#include "server/metrics.h"
#include "server/request_log.h"

namespace fathom {
namespace {

// As often as DeepSeek's service does, below the idle limits of common proxies (60 s).
constexpr double kKeepAliveSeconds = 10;

// `named`: the stop tokens that the request asked for; only they are told.
ChoiceEnd EndOf(const EngineEvent& event, const std::vector<int32_t>& named) {
  if (event.finish == FinishReason::kLength) return {"length", {}};
  ChoiceEnd end{"stop", {}};
  if (event.stop_token && std::ranges::find(named, *event.stop_token) != named.end()) {
    end.stop_reason = int64_t{*event.stop_token};
  }
  return end;
}

// To the microsecond.
Json Rounded(double seconds) { return {std::round(seconds * 1e6) / 1e6}; }

SampledToken Sampled(EngineEvent& event) {
  SampledToken token{.id = *event.token};
  if (!event.logprobs) return token;
  token.logprob = event.logprobs->token;
  token.top.reserve(event.logprobs->top.size());
  for (const auto& [id, logprob] : event.logprobs->top) token.top.push_back({id, logprob});
  return token;
}

}  // namespace

Answer::Answer(AnswerSetup setup, const AnswerServices& services,
               std::function<void(size_t)> cancel)
    : setup_(std::move(setup)),
      services_(services),
      cancel_(std::move(cancel)),
      open_in_engine_(setup_.choices.size()),
      open_for_client_(setup_.choices.size()),
      last_sign_s_(setup_.routed.arrived_s) {
  const auto n = static_cast<int64_t>(setup_.choices.size()) / setup_.prompts;
  int64_t index = 0;
  for (ChoiceSetup& choice : setup_.choices) {
    if (index++ % n == 0) prompt_tokens_ += choice.prompt_tokens;
    choices_.push_back({.text = TextStream(services.tokenizer, std::move(choice.text)),
                        .finished = {},
                        .keep_tokens = choice.keep_tokens});
  }
  services_.metrics.request_n.Observe(static_cast<double>(n));
  services_.metrics.request_max_tokens.Observe(static_cast<double>(setup_.max_tokens));
}

void Answer::Take(size_t choice, EngineEvent event, double now_s) {
  choices_[choice].cached_tokens = event.cached_tokens;
  if (started_s_ == 0) started_s_ = event.started_s;
  if (event.token) TakeToken(choice, event, now_s);
  if (event.finish) TakeFinish(choice, event, now_s);
  Flush(now_s);
}

void Answer::TakeToken(size_t index, EngineEvent& event, double now_s) {
  Choice& choice = choices_[index];
  ObserveToken(choice, now_s);
  if (choice.ended || closed_) return;
  ++choice.tokens;
  const ReplyDelta delta = choice.text.Push(*event.token);
  SampledToken token = Sampled(event);
  if (setup_.stream) {
    BeginStream();
    setup_.format->Token(static_cast<int64_t>(index), token, delta, TotalUsage(), pending_);
  } else {
    choice.finished.reply.text += delta.text;
    choice.finished.reply.reasoning += delta.reasoning;
    if (choice.keep_tokens) choice.finished.tokens.push_back(std::move(token));
  }
  if (!choice.text.stopped()) return;
  EndChoice(index, {}, {"stop", *choice.text.matched_stop()});
  cancel_(index);
  if (open_for_client_ == 0) Complete(now_s);
}

void Answer::TakeFinish(size_t index, const EngineEvent& event, double now_s) {
  --open_in_engine_;
  // It was cancelled because its text was complete: the client has "stop".
  const FinishReason how = choices_[index].ended ? FinishReason::kStop : *event.finish;
  services_.metrics.finished[static_cast<size_t>(how)].Add();
  if (choices_[index].ended || closed_) return;
  if (event.finish == FinishReason::kTimeout) return Fail(TimedOut(*event.error), now_s);
  if (event.finish == FinishReason::kError) return Fail(FromError(*event.error), now_s);
  if (event.finish == FinishReason::kCancelled) return Close("cancelled", now_s);
  EndChoice(index, choices_[index].text.Finish(), EndOf(event, setup_.stop_token_ids));
  if (open_for_client_ == 0) Complete(now_s);
}

void Answer::EndChoice(size_t index, const ReplyDelta& rest, ChoiceEnd end) {
  Choice& choice = choices_[index];
  choice.ended = true;
  --open_for_client_;
  choice.finish_reason = end.finish_reason;
  services_.metrics.request_generation_tokens.Observe(static_cast<double>(choice.tokens));
  if (setup_.stream) {
    BeginStream();
    setup_.format->End(static_cast<int64_t>(index), rest, end, TotalUsage(), pending_);
    return;
  }
  choice.finished.reply.text += rest.text;
  choice.finished.reply.reasoning += rest.reasoning;
  choice.finished.inside_reasoning = choice.text.inside_reasoning();
  choice.finished.end = std::move(end);
}

void Answer::Complete(double now_s) {
  if (setup_.stream) {
    setup_.format->WholeUsage(TotalUsage(), pending_);
    pending_ += kDoneEvent;
    Flush(now_s);
    setup_.routed.reply.Finish();
  } else {
    setup_.routed.SendJson(200, WholeBody());
  }
  Close("done", now_s);
}

std::string Answer::WholeBody() {
  std::vector<FinishedChoice> finished;
  finished.reserve(choices_.size());
  for (Choice& choice : choices_) finished.push_back(std::move(choice.finished));
  return setup_.format->Whole(std::move(finished), TotalUsage());
}

void Answer::Fail(const ApiError& error, double now_s) {
  CancelOpen();
  if (streaming_) {
    pending_ += ErrorEvent(error);
    pending_ += kDoneEvent;
    Flush(now_s);
    setup_.routed.reply.Finish();
  } else {
    setup_.routed.SendError(error);
  }
  Close("error", now_s);
}

void Answer::Abort(const ApiError& error, double now_s) {
  if (!closed_) Fail(error, now_s);
}

void Answer::Tick(double now_s) {
  if (closed_ || !setup_.stream || now_s - last_sign_s_ < kKeepAliveSeconds) return;
  BeginStream();
  pending_ += kKeepAliveEvent;
  Flush(now_s);
}

void Answer::BeginStream() {
  if (streaming_) return;
  streaming_ = true;
  HttpHeaders headers = setup_.routed.headers;
  headers.Add("Cache-Control", "no-cache");
  headers.Add("X-Accel-Buffering", "no");
  setup_.routed.reply.StartStream(
      {200, std::move(headers), "", "text/event-stream; charset=utf-8"});
}

void Answer::Flush(double now_s) {
  if (pending_.empty()) return;
  const bool read = setup_.routed.reply.Write(pending_);
  pending_.clear();
  last_sign_s_ = now_s;
  if (read || closed_) return;
  CancelOpen();
  Close("gone", now_s);
}

void Answer::CancelOpen() {
  for (size_t i = 0; i < choices_.size(); ++i) {
    if (!choices_[i].ended) cancel_(i);
  }
}

void Answer::ObserveToken(Choice& choice, double now_s) {
  Metrics& metrics = services_.metrics;
  metrics.generation_tokens.Add();
  if (choice.last_token_s > 0) metrics.inter_token_latency.Observe(now_s - choice.last_token_s);
  choice.last_token_s = last_token_s_ = now_s;
  if (first_token_s_) return;
  first_token_s_ = now_s;
  metrics.prompt_tokens.Add(prompt_tokens_);
  metrics.time_to_first_token.Observe(now_s - setup_.routed.arrived_s);
  metrics.queue_time.Observe(started_s_ - setup_.routed.arrived_s);
  metrics.prefill_time.Observe(now_s - started_s_);
}

Usage Answer::TotalUsage() const {
  Usage usage{.prompt_tokens = prompt_tokens_};
  const size_t n = choices_.size() / static_cast<size_t>(setup_.prompts);
  for (size_t i = 0; i < choices_.size(); i += n) usage.cached_tokens += choices_[i].cached_tokens;
  for (const Choice& choice : choices_) {
    usage.completion_tokens += choice.tokens;
    usage.reasoning_tokens += choice.text.reasoning_tokens();
  }
  return usage;
}

Json Answer::FinishReasons() const {
  Json reasons = Json::MakeArray();
  for (const Choice& choice : choices_) {
    reasons.Append(choice.ended ? Json(choice.finish_reason) : Json());
  }
  return reasons;
}

void Answer::Close(const char* outcome, double now_s) {
  if (closed_) return;
  closed_ = true;
  const Usage usage = TotalUsage();
  Metrics& metrics = services_.metrics;
  metrics.e2e_latency.Observe(now_s - setup_.routed.arrived_s);
  metrics.request_prompt_tokens.Observe(static_cast<double>(usage.prompt_tokens));
  const double decode_s = first_token_s_ ? last_token_s_ - *first_token_s_ : 0;
  if (first_token_s_) {
    metrics.decode_time.Observe(decode_s);
    metrics.inference_time.Observe(last_token_s_ - started_s_);
  }
  if (usage.completion_tokens > 1) {
    metrics.time_per_output_token.Observe(decode_s /
                                          static_cast<double>(usage.completion_tokens - 1));
  }
  Json::Object fields = {
      {"id", setup_.routed.id},
      {"path", setup_.routed.request.path},
      {"client", setup_.routed.request.peer},
      {"model", setup_.model},
      {"stream", setup_.stream},
      {"outcome", outcome},
      {"prompt_tokens", usage.prompt_tokens},
      {"cached_tokens", usage.cached_tokens},
      {"completion_tokens", usage.completion_tokens},
      {"finish", FinishReasons()},
      {"queue_s", started_s_ > 0 ? Rounded(started_s_ - setup_.routed.arrived_s) : Json()},
      {"first_token_s",
       first_token_s_ ? Rounded(*first_token_s_ - setup_.routed.arrived_s) : Json()},
      {"total_s", Rounded(now_s - setup_.routed.arrived_s)}};
  const std::string why = setup_.routed.reply.WhyDropped();
  if (!why.empty()) fields.emplace_back("why", why);
  if (!setup_.routed.trace.empty()) fields.emplace_back("traceparent", setup_.routed.trace);
  if (services_.log_text) fields.emplace_back("prompt", setup_.log_text);
  services_.log.Info("request", std::move(fields));
}

}  // namespace fathom
