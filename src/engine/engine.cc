#include "engine/engine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "engine/executor.h"
#include "engine/log_softmax.h"
#include "engine/sampler.h"
#include "engine/sampling_params.h"
#include "engine/sequence.h"
#include "engine/token_mask.h"
#include "model/model.h"
#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/step_plan.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

int64_t Size(const std::vector<int32_t>& tokens) { return static_cast<int64_t>(tokens.size()); }

uint64_t RandomSeed() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

bool Contains(const std::vector<int32_t>& tokens, int32_t token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

Status ValidatePrompt(const std::vector<int32_t>& prompt, int64_t vocab) {
  if (prompt.empty()) {
    return BadInput("the prompt is empty", "",
                    "give at least one token, such as the model's begin-of-sentence token");
  }
  for (size_t i = 0; i < prompt.size(); ++i) {
    if (prompt[i] < 0 || prompt[i] >= vocab) {
      return BadInput(
          Format("token {} of the prompt is {}, the vocabulary has {} tokens", i, prompt[i], vocab),
          "", "use the tokenizer of this checkpoint");
    }
  }
  return Ok();
}

// What may come while min_tokens are not reached; none when there is no such time.
std::optional<TokenMask> BeforeStop(const GenerationRequest& request,
                                    const std::vector<int32_t>& stop_token_ids, int64_t vocab) {
  if (request.min_tokens == 0) return std::nullopt;
  TokenMask mask = request.rules == nullptr ? TokenMask(vocab) : request.rules->mask();
  mask.Forbid(stop_token_ids);
  return mask;
}

// What may come next where that is not what NextMask says: it would complete a bad word.
std::optional<TokenMask> MaskWithoutBadWords(const Sequence& sequence) {
  if (sequence.rules == nullptr) return std::nullopt;
  const std::vector<int32_t> bad = sequence.rules->BadAfter(sequence.answer());
  if (bad.empty()) return std::nullopt;
  TokenMask mask = *sequence.NextMask();
  mask.Forbid(bad);
  return mask;
}

}  // namespace

std::string_view FinishReasonName(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kCancelled:
      return "cancelled";
    case FinishReason::kError:
      return "error";
    case FinishReason::kTimeout:
      return "timeout";
  }
  FATHOM_CHECK(false && "every reason has a name");
  return "";
}

std::string_view EnginePhaseName(EnginePhase phase) {
  switch (phase) {
    case EnginePhase::kBetweenSteps:
      return "between steps";
    case EnginePhase::kPlanning:
      return "planning a step";
    case EnginePhase::kComputing:
      return "computing a step";
    case EnginePhase::kSampling:
      return "sampling";
  }
  FATHOM_CHECK(false && "every phase has a name");
  return "";
}

Engine::Engine(std::unique_ptr<Executor> executor, const EngineConfig& config, ThreadPool& pool,
               const Clock& clock)
    : executor_(std::move(executor)),
      config_(config),
      pool_(pool),
      clock_(clock),
      scheduler_(config.scheduler),
      samplers_(static_cast<size_t>(pool.threads())),
      unseeded_(RandomSeed()),
      block_tables_(static_cast<size_t>(config.scheduler.max_sequences)),
      free_slots_(block_tables_.size()) {
  FATHOM_CHECK(config.max_model_len >= 1);
  std::iota(free_slots_.rbegin(), free_slots_.rend(), 0);
}

Result<RequestId> Engine::Submit(GenerationRequest request) {
  FATHOM_OK(Validate(request));
  return Add(std::move(request));
}

RequestId Engine::Add(GenerationRequest request) {
  FATHOM_CHECK(!request.prompt.empty() && ValidateLength(request).ok());
  const RequestId id = next_id_++;
  Sequence& sequence = sequences_[id];
  sequence.id = id;
  sequence.prompt_tokens = Size(request.prompt);
  sequence.max_tokens = AnswerLimit(request);
  if (HasPenalties(request.sampling)) sequence.history.AddPrompt(request.prompt);
  sequence.tokens = std::move(request.prompt);
  sequence.seed =
      request.sampling.seed.value_or(SplitMix64At(unseeded_, static_cast<uint64_t>(id)));
  sequence.sampling = std::move(request.sampling);
  sequence.min_tokens = request.min_tokens;
  sequence.top_logprobs = request.top_logprobs;
  sequence.stop_token_ids = std::move(request.stop_token_ids);
  sequence.before_stop = BeforeStop(request, sequence.stop_token_ids, executor_->vocab());
  sequence.rules = std::move(request.rules);
  sequence.score = request.score;
  sequence.score_mtp = request.score_mtp;
  sequence.arrival_s = clock_.Seconds();
  scheduler_.Add({.id = id,
                  .tokens = sequence.tokens,
                  .rows = request.score ? LogitRows::kAll : LogitRows::kLast,
                  .priority = request.priority,
                  .client = request.client,
                  .arrival_s = sequence.arrival_s,
                  .deadline_s = request.deadline_s,
                  .max_tokens = sequence.max_tokens});
  return id;
}

Status Engine::Validate(const GenerationRequest& request) const {
  FATHOM_OK(ValidatePrompt(request.prompt, executor_->vocab()));
  if (request.score_mtp && !request.score) {
    return BadInput("score_mtp is set on a request that is not scored", "", "set score too");
  }
  if (request.score_mtp && !executor_->has_mtp()) {
    return BadInput("MTP logits are asked for, and the model has no MTP layer loaded", "",
                    "load the model with its MTP layer, or score without MTP");
  }
  if (!request.score) {
    FATHOM_OK(ValidateChoice(request));
  }
  return ValidateLength(request);
}

Status Engine::ValidateChoice(const GenerationRequest& request) const {
  const int64_t vocab = executor_->vocab();
  if (request.max_tokens < 1) {
    return BadInput(Format("max_tokens is {}, expected at least 1", request.max_tokens), "",
                    "ask for one token or more");
  }
  if (request.min_tokens < 0 || request.min_tokens > request.max_tokens) {
    return BadInput(Format("min_tokens is {}, expected 0 to max_tokens, which is {}",
                           request.min_tokens, request.max_tokens),
                    "min_tokens", "lower min_tokens, or raise max_tokens");
  }
  FATHOM_CHECK(request.rules == nullptr || request.rules->mask().vocab() == vocab);
  const auto before_stop = BeforeStop(request, request.stop_token_ids, vocab);
  if (before_stop && !before_stop->AllowsAny()) {
    return BadInput(
        Format("min_tokens is {}, and every allowed token ends the answer", request.min_tokens),
        "min_tokens", "allow a token that is not a stop token, or set min_tokens to 0");
  }
  if (request.top_logprobs && (*request.top_logprobs < 0 || *request.top_logprobs > vocab)) {
    return BadInput(
        Format("top_logprobs is {}, the vocabulary has {} tokens", *request.top_logprobs, vocab),
        "", Format("ask for 0 to {}", vocab));
  }
  return ValidateSampling(request.sampling, vocab);
}

Status Engine::ValidateLength(const GenerationRequest& request) const {
  const int64_t prompt = Size(request.prompt);
  const int64_t room = config_.max_model_len - prompt;
  if (request.score ? room < 0 : room < 1) {
    return BadInput(
        Format("the prompt has {} tokens, max_model_len is {}{}", prompt, config_.max_model_len,
               request.score ? "" : " for prompt and answer together"),
        "", "shorten the prompt, or start with a larger --max-model-len");
  }
  const int64_t total = prompt + AnswerLimit(request);
  if (scheduler_.Fits(total)) return Ok();
  return DoesNotFit(
      Format("prompt and answer of {} tokens need {} cache blocks, the cache has {} ({} "
             "tokens)",
             total, scheduler_.BlocksFor(total), config_.scheduler.blocks,
             config_.scheduler.blocks * config_.scheduler.block_tokens),
      "", "ask for fewer tokens (max_tokens), or start with a larger cache");
}

int64_t Engine::AnswerLimit(const GenerationRequest& request) const {
  if (request.score) return 0;
  return std::min(request.max_tokens, config_.max_model_len - Size(request.prompt));
}

void Engine::Cancel(RequestId id) {
  const auto entry = sequences_.find(id);
  if (entry == sequences_.end()) return;
  Finish(entry->second, {.finish = FinishReason::kCancelled}, pending_events_);
}

StepResult Engine::Step() {
  StepResult result;
  result.events = std::exchange(pending_events_, {});
  step_began_s_ = clock_.Seconds();
  phase_ = EnginePhase::kPlanning;
  plan_ = &scheduler_.Plan(step_began_s_);
  const StepPlan& plan = *plan_;
  for (const Preemption& preemption : plan.preempted) ReleaseSlot(sequences_.at(preemption.id));
  if (!plan.copies.empty()) executor_->CopyBlocks(plan.copies);
  EndOverdue(plan, result.events);
  result.wait_until_s = plan.wait_until_s;
  if (!plan.empty()) Compute(plan, result);
  phase_ = EnginePhase::kBetweenSteps;
  return result;
}

void Engine::Compute(const StepPlan& plan, StepResult& result) {
  PrepareWork(plan, result);
  phase_ = EnginePhase::kComputing;
  const double began_s = clock_.Seconds();
  const ForwardResult forward = executor_->Run(batch_.View(block_tables_));
  phase_ = EnginePhase::kSampling;
  SampleAll(forward);
  scheduler_.Observe(plan.shape, clock_.Seconds() - began_s);
  for (Work& work : work_) {
    if (work.sequence->score) {
      ApplyScore(work, forward, result);
    } else if (work.planned->sample) {
      ApplyToken(work, result);
    }
  }
}

void Engine::EndOverdue(const StepPlan& plan, std::vector<EngineEvent>& events) {
  for (const RequestId id : plan.expired) {
    Sequence& sequence = sequences_.at(id);
    Error error = Failed(
        Format("the request was not done in time: {:.3f} s after its arrival it had {} of at most "
               "{} tokens",
               clock_.Seconds() - sequence.arrival_s, sequence.answer_tokens(),
               sequence.max_tokens),
        "", "allow it more time, ask for fewer tokens, or send fewer requests at once");
    Finish(sequence, {.finish = FinishReason::kTimeout, .error = std::move(error)}, events);
  }
  if (!plan.stuck) return;
  Error error =
      Failed(plan.stuck->what, "",
             "start with a larger cache; if the numbers say that it should have fitted, this is a "
             "bug in the scheduler: report it with them");
  Finish(sequences_.at(plan.stuck->id), {.finish = FinishReason::kError, .error = std::move(error)},
         events);
}

void Engine::PrepareWork(const StepPlan& plan, StepResult& result) {
  batch_.Clear();
  work_.clear();
  for (const PlannedSequence& planned : plan.sequences) {
    Sequence& sequence = sequences_.at(planned.id);
    UpdateBlockTable(plan, planned, sequence);
    work_.push_back({&planned, &sequence, batch_.Add(planned, sequence), 0, std::nullopt});
    const int64_t prompt_left = std::max<int64_t>(sequence.prompt_tokens - planned.first_token, 0);
    result.prompt_tokens += std::min<int64_t>(planned.count, prompt_left);
  }
}

void Engine::UpdateBlockTable(const StepPlan& plan, const PlannedSequence& planned,
                              Sequence& sequence) {
  FATHOM_CHECK(planned.enters == !sequence.slot.has_value());
  if (planned.enters) {
    sequence.slot = free_slots_.back();
    free_slots_.pop_back();
    // What comes back after a preemption was not in the cache when the request came.
    if (!sequence.cached_tokens) sequence.cached_tokens = planned.cached_tokens;
    if (sequence.started_s == 0) sequence.started_s = step_began_s_;
  }
  std::vector<int32_t>& table = block_tables_[static_cast<size_t>(*sequence.slot)];
  const std::span<const int32_t> blocks = plan.BlocksOf(planned);
  table.insert(table.end(), blocks.begin(), blocks.end());
}

void Engine::ReleaseSlot(Sequence& sequence) {
  if (!sequence.slot) return;
  block_tables_[static_cast<size_t>(*sequence.slot)].clear();
  free_slots_.push_back(*sequence.slot);
  sequence.slot.reset();
}

void Engine::SampleAll(const ForwardResult& forward) {
  pool_.ParallelFor(static_cast<int64_t>(work_.size()), [&](int64_t item, int thread) {
    Work& work = work_[static_cast<size_t>(item)];
    if (work.sequence->score || !work.planned->sample) return;
    SampleOne(samplers_[static_cast<size_t>(thread)], forward.logits[work.rows.first], work);
  });
}

void Engine::SampleOne(Sampler& sampler, std::span<const float> logits, Work& work) {
  const Sequence& sequence = *work.sequence;
  const double uniform = UniformAt(sequence.seed, static_cast<uint64_t>(sequence.answer_tokens()));
  const std::optional<TokenMask> own = MaskWithoutBadWords(sequence);
  if (own && !own->AllowsAny()) {
    work.token = BadInput("bad_words forbids every token that may come", "",
                          "name fewer bad words, or allow more tokens");
    return;
  }
  work.token = sampler.Sample(logits, sequence.sampling, sequence.history, uniform,
                              own ? &*own : sequence.NextMask());
  if (!work.token.ok() || !sequence.top_logprobs) return;
  const LogSoftmax softmax(logits);
  work.logprobs = {softmax.LogProb(work.token.value()), softmax.Top(*sequence.top_logprobs)};
}

void Engine::ApplyScore(const Work& work, const ForwardResult& forward, StepResult& result) {
  const StepBatch::Rows& rows = work.rows;
  ScoredRows scored{.id = work.sequence->id,
                    .first_position = rows.first_position,
                    .logits = forward.logits.Rows(rows.first, rows.count),
                    .mtp_logits = {}};
  if (rows.mtp_count > 0)
    scored.mtp_logits = forward.mtp_logits.Rows(rows.first_mtp, rows.mtp_count);
  for (const MatView<const float>& logits : {scored.logits, scored.mtp_logits}) {
    for (int64_t row = 0; row < logits.rows(); ++row) {
      const Status finite = CheckFinite(logits[row]);
      if (!finite.ok()) {
        FinishWithError(work, rows.first_position + row, finite.error(), result);
        return;
      }
    }
  }
  work.sequence->scored_positions += rows.count;
  if (rows.count > 0) result.scored.push_back(scored);
  if (work.planned->sample) {
    Finish(*work.sequence, {.finish = FinishReason::kLength}, result.events);
  }
}

void Engine::ApplyToken(Work& work, StepResult& result) {
  Sequence& sequence = *work.sequence;
  if (!work.token.ok()) {
    FinishWithError(work, work.rows.first_position, work.token.error(), result);
    return;
  }
  const int32_t token = work.token.value();
  ++result.sampled_tokens;
  if (Contains(sequence.stop_token_ids, token)) {
    Finish(sequence, {.finish = FinishReason::kStop, .stop_token = token}, result.events);
    return;
  }
  sequence.tokens.push_back(token);
  if (HasPenalties(sequence.sampling)) sequence.history.AddAnswer(token);
  result.events.push_back({.id = sequence.id,
                           .token = token,
                           .logprobs = std::move(work.logprobs),
                           .cached_tokens = sequence.cached_tokens.value_or(0),
                           .started_s = sequence.started_s});
  if (sequence.answer_tokens() < sequence.max_tokens) {
    scheduler_.Extend(sequence.id, token);
  } else {
    Finish(sequence, {.finish = FinishReason::kLength}, result.events);
  }
}

void Engine::Finish(Sequence& sequence, EngineEvent end, std::vector<EngineEvent>& events) {
  const RequestId id = sequence.id;
  const FinishReason reason = *end.finish;
  end.id = id;
  end.cached_tokens = sequence.cached_tokens.value_or(0);
  end.started_s = sequence.started_s;
  events.push_back(std::move(end));
  if (reason != FinishReason::kTimeout) {
    // Logits that are no numbers may come from what lies in the cache.
    const bool damaged = reason == FinishReason::kError;
    scheduler_.Finish(id, damaged ? Scheduler::Contents::kForget : Scheduler::Contents::kKeep);
  }
  ReleaseSlot(sequence);
  sequences_.erase(id);
}

void Engine::FinishWithError(const Work& work, int64_t position, const Error& error,
                             StepResult& result) {
  Finish(*work.sequence,
         {.finish = FinishReason::kError,
          .error = Within(Format("logits after position {}", position), error)},
         result.events);
}

}  // namespace fathom
