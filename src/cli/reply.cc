#include "cli/reply.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "api/reasoning_splitter.h"
#include "api/text_stream.h"
#include "base/format.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/model_flags.h"
#include "cli/progress_printer.h"
#include "engine/engine.h"
#include "sched/scheduler.h"

namespace fathom {
namespace {

double Rate(int64_t count, double seconds) {
  return count > 0 && seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

// One request on its way through the engine.
class Generation {
 public:
  Generation(CommandContext& context, Engine& engine, TextStream* stream, Progress& reading,
             const ReplySink& sink)
      : context_(context), engine_(engine), stream_(stream), reading_(reading), sink_(sink) {}

  Result<Reply> Run(GenerationRequest request) {
    reply_.prompt_tokens = static_cast<int64_t>(request.prompt.size());
    began_ = context_.clock.Seconds();
    FATHOM_TRY(id_, engine_.Submit(std::move(request)));
    reading_.Begin(1, 1, "reading the prompt", reply_.prompt_tokens);
    while (!ended_) Step();
    if (stream_ != nullptr) Deliver(std::nullopt, stream_->Finish());
    context_.interrupt.Clear();
    Measure();
    if (!sink_status_.ok()) return std::move(sink_status_).error();
    return std::move(reply_);
  }

 private:
  void Step() {
    if (context_.interrupt.requested()) engine_.Cancel(id_);
    const StepResult step = engine_.Step();
    if (reply_.ids.empty()) {
      reading_.Advance(step.prompt_tokens);
      if (!step.events.empty()) reading_.End();
    }
    for (const EngineEvent& event : step.events) Take(event);
  }

  void Take(const EngineEvent& event) {
    if (event.id != id_) return;
    if (event.token && !stopped() && sink_status_.ok()) TakeToken(*event.token);
    if (!event.finish) return;
    ended_ = true;
    reply_.error = event.error;
    reply_.finish = stopped() ? FinishReason::kStop : *event.finish;
  }

  void TakeToken(int32_t token) {
    last_token_ = context_.clock.Seconds();
    if (reply_.ids.empty()) first_token_ = last_token_;
    reply_.ids.push_back(token);
    Deliver(token, stream_ == nullptr ? ReplyDelta() : stream_->Push(token));
    if (stopped() || !sink_status_.ok()) engine_.Cancel(id_);
  }

  void Deliver(std::optional<int32_t> token, const ReplyDelta& delta) {
    reply_.text += delta.text;
    reply_.reasoning += delta.reasoning;
    if (sink_status_.ok()) sink_status_ = sink_(token, delta);
  }

  void Measure() {
    const bool any = !reply_.ids.empty();
    reply_.prefill_seconds = (any ? first_token_ : context_.clock.Seconds()) - began_;
    reply_.decode_seconds = any ? last_token_ - first_token_ : 0;
    if (stream_ == nullptr) return;
    reply_.reasoning_tokens = stream_->reasoning_tokens();
    reply_.inside_reasoning = stream_->inside_reasoning();
  }

  bool stopped() const { return stream_ != nullptr && stream_->stopped(); }

  CommandContext& context_;
  Engine& engine_;
  TextStream* stream_;
  Progress& reading_;
  const ReplySink& sink_;

  RequestId id_ = 0;
  bool ended_ = false;
  Status sink_status_;
  Reply reply_;
  double began_ = 0, first_token_ = 0, last_token_ = 0;
};

}  // namespace

double Reply::PrefillRate() const { return Rate(prompt_tokens, prefill_seconds); }

double Reply::DecodeRate() const {
  return Rate(static_cast<int64_t>(ids.size()) - 1, decode_seconds);
}

std::string Reply::Summary() const {
  return Format("{} tokens in {} ({:.1f}/s), prompt of {} tokens in {} ({:.1f}/s), {}\n",
                ids.size(), HumanSeconds(decode_seconds), DecodeRate(), prompt_tokens,
                HumanSeconds(prefill_seconds), PrefillRate(), FinishReasonName(finish));
}

std::string Reply::Advice(const ContextLength& length) const {
  if (!inside_reasoning) return "";
  if (finish == FinishReason::kLength) {
    const auto total = prompt_tokens + static_cast<int64_t>(ids.size());
    const bool full = total >= length.max_model_len;
    const bool can_grow = length.max_model_len < length.model_positions;
    return Format("there is no answer: it was cut inside its reasoning after {} tokens; {}\n",
                  ids.size(),
                  !full      ? "raise --max-tokens"
                  : can_grow ? "raise --max-model-len"
                             : "the model has positions for no more");
  }
  if (finish != FinishReason::kStop) return "";
  return "there is no answer: it was stopped inside its reasoning, where --stop and "
         "--stop-token-ids count too\n";
}

Json Reply::Report(bool has_text, double load_seconds) const {
  const auto completion = static_cast<int64_t>(ids.size());
  const Json usage = Json::MakeObject(
      {{"prompt_tokens", prompt_tokens},
       {"completion_tokens", completion},
       {"total_tokens", prompt_tokens + completion},
       {"prompt_tokens_details", Json::MakeObject({{"cached_tokens", 0}})},
       {"completion_tokens_details", Json::MakeObject({{"reasoning_tokens", reasoning_tokens}})}});
  const Json timings = Json::MakeObject({{"load_s", load_seconds},
                                         {"prefill_s", prefill_seconds},
                                         {"decode_s", decode_seconds},
                                         {"prefill_tokens_per_s", PrefillRate()},
                                         {"decode_tokens_per_s", DecodeRate()}});
  return Json::MakeObject({{"ids", Json::ArrayOf(ids)},
                           {"text", has_text ? Json(text) : Json()},
                           {"reasoning", reasoning.empty() ? Json() : Json(reasoning)},
                           {"finish_reason", FinishReasonName(finish)},
                           {"usage", usage},
                           {"timings", timings}});
}

Result<Reply> Generate(CommandContext& context, Engine& engine, GenerationRequest request,
                       TextStream* stream, Progress& reading, const ReplySink& sink) {
  return Generation(context, engine, stream, reading, sink).Run(std::move(request));
}

}  // namespace fathom
