#ifndef FATHOM_ENGINE_ENGINE_H_
#define FATHOM_ENGINE_ENGINE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "engine/executor.h"
#include "engine/sampler.h"
#include "engine/sampling_params.h"
#include "engine/sequence.h"
#include "engine/step_batch.h"
#include "engine/token_rules.h"
#include "model/model.h"
#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"
#include "sched/step_plan.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {

struct GenerationRequest {
  std::vector<int32_t> prompt;
  SamplingParams sampling;
  int64_t max_tokens = 16;  // cut to what max_model_len leaves after the prompt
  // End the answer; the token itself is not part of it. One outside the vocabulary never comes.
  std::vector<int32_t> stop_token_ids;
  int64_t min_tokens = 0;  // no stop token comes before the answer has so many
  // What the answer may be made of, made for this engine's vocabulary; null: of all tokens.
  std::shared_ptr<const TokenRules> rules = nullptr;
  // Log-probabilities of the tokens, and so many of the likeliest beside each; none: not computed.
  std::optional<int64_t> top_logprobs;
  // Teacher forcing: nothing is generated (the three fields above have no meaning); every
  // position's logits are reported by ScoredRows, then the request finishes with kLength.
  bool score = false;
  bool score_mtp = false;  // of a score request: the MTP layer's logits too

  int32_t priority = 0;  // the lower goes first (sched/waiting_queue.h)
  uint64_t client = 0;   // who asks: clients share the engine fairly
  // Seconds on the engine's clock after which the request ends in kTimeout.
  std::optional<double> deadline_s = std::nullopt;
};

enum class FinishReason { kStop, kLength, kCancelled, kError, kTimeout };
inline constexpr size_t kFinishReasons = 5;
// "stop", "length", "cancelled", "error", "timeout".
std::string_view FinishReasonName(FinishReason reason);

// Natural logarithms of probabilities under the model's own logits, before bias, penalties, mask
// and temperature.
struct TokenLogProbs {
  double token = 0;                             // of the one that was sampled
  std::vector<std::pair<int32_t, double>> top;  // the likeliest, most likely first
};

// Where a step is.
enum class EnginePhase { kBetweenSteps, kPlanning, kComputing, kSampling };
// "planning a step", "computing a step", "sampling", "between steps".
std::string_view EnginePhaseName(EnginePhase phase);

// One sampled token, or the end of a request: exactly one of `token` and `finish` is set. A request
// ends in exactly one event with `finish`, its last.
struct EngineEvent {
  RequestId id = 0;
  std::optional<int32_t> token = std::nullopt;
  std::optional<TokenLogProbs> logprobs = std::nullopt;  // of `token`, if they were asked for
  std::optional<FinishReason> finish = std::nullopt;
  // Of kStop: the one of stop_token_ids that came.
  std::optional<int32_t> stop_token = std::nullopt;
  std::optional<Error> error = std::nullopt;  // of kError and kTimeout
  int64_t cached_tokens = 0;                  // tokens of the prompt that the cache had
  double started_s = 0;  // on the engine's clock, when its first step began; 0: it had none
};

// Logits of consecutive positions of a scored request, each position once and in order; valid until
// the next Step. mtp_logits row i belongs to position first_position + i; the last position of the
// prompt has no MTP row.
struct ScoredRows {
  RequestId id = 0;
  int64_t first_position = 0;
  MatView<const float> logits;
  MatView<const float> mtp_logits;
};

struct StepResult {
  std::vector<EngineEvent> events;
  std::vector<ScoredRows> scored;
  int64_t prompt_tokens = 0;  // computed in this step, again after a preemption too
  int64_t sampled_tokens = 0;
  // Set when nothing was computed though requests are open: the policy lets them wait. A step
  // before this time is of use only if a request is submitted or cancelled.
  std::optional<double> wait_until_s;
};

struct EngineConfig {
  SchedulerConfig scheduler;
  DType kv_dtype = DType::kBF16;  // F32 or BF16
  int64_t max_model_len = 0;      // prompt and answer together; >= 1
};

// The loop plan -> run -> sample -> apply. Tokens in, tokens out: it knows no text, no thread, no
// socket. Threads: one at a time.
//
// A request's tokens depend on its prompt, its parameters and its seed alone, not on the requests
// around it, on chunks or on preemptions, as far as the model is batch-invariant.
class Engine {
 public:
  // The pool samples, the clock says when a step begins; both must outlive the engine.
  Engine(std::unique_ptr<Executor> executor, const EngineConfig& config, ThreadPool& pool,
         const Clock& clock);

  // Refuses, with the numbers: an empty prompt, ids outside the vocabulary, a prompt that leaves no
  // room for an answer, parameters out of range (kBadInput); what the whole cache cannot hold
  // (kDoesNotFit). Seeds make no difference. Threads: any, also while another calls Step.
  Status Validate(const GenerationRequest& request) const;
  // Queues a request that Validate takes (CHECK, as far as that costs nothing): a server validates
  // on other threads, so that the one of the engine goes on.
  RequestId Add(GenerationRequest request);
  // Both. Errors: those of Validate.
  Result<RequestId> Submit(GenerationRequest request);
  // Ends a request: its finish event (kCancelled) comes with the next Step. Unknown or ended ids
  // are ignored.
  void Cancel(RequestId id);

  // True when no request is open and no event waits to be fetched by Step.
  bool idle() const { return sequences_.empty() && pending_events_.empty(); }
  const EngineConfig& config() const { return config_; }

  // One step. A request whose logits are NaN or infinite ends in kError, as does one that can never
  // go on (Stuck); the others go on.
  StepResult Step();

  // Threads: any, also while another calls Step.
  EnginePhase phase() const { return phase_.load(std::memory_order_relaxed); }
  // Counts of requests and blocks, and what became of them.
  const Scheduler& scheduler() const { return scheduler_; }
  // What the last step did and why; valid until the next.
  const StepPlan* last_plan() const { return plan_; }

 private:
  // A planned sequence with its rows of the result and, if it samples, its next token.
  struct Work {
    const PlannedSequence* planned;
    Sequence* sequence;
    StepBatch::Rows rows;
    Result<int32_t> token;
    std::optional<TokenLogProbs> logprobs;
  };

  Status ValidateChoice(const GenerationRequest& request) const;
  Status ValidateLength(const GenerationRequest& request) const;
  int64_t AnswerLimit(const GenerationRequest& request) const;

  void EndOverdue(const StepPlan& plan, std::vector<EngineEvent>& events);
  void Compute(const StepPlan& plan, StepResult& result);
  void PrepareWork(const StepPlan& plan, StepResult& result);
  void UpdateBlockTable(const StepPlan& plan, const PlannedSequence& planned, Sequence& sequence);
  void ReleaseSlot(Sequence& sequence);
  void SampleAll(const ForwardResult& forward);
  static void SampleOne(Sampler& sampler, std::span<const float> logits, Work& work);
  void ApplyScore(const Work& work, const ForwardResult& forward, StepResult& result);
  void ApplyToken(Work& work, StepResult& result);
  // `end` says how; its id is filled in. Also tells the scheduler, which has forgotten those that
  // ended in kTimeout.
  void Finish(Sequence& sequence, EngineEvent end, std::vector<EngineEvent>& events);
  void FinishWithError(const Work& work, int64_t position, const Error& error, StepResult& result);

  std::unique_ptr<Executor> executor_;
  std::atomic<EnginePhase> phase_ = EnginePhase::kBetweenSteps;
  EngineConfig config_;
  ThreadPool& pool_;
  const Clock& clock_;
  const StepPlan* plan_ = nullptr;
  Scheduler scheduler_;
  std::vector<Sampler> samplers_;  // one a thread of the pool
  StepBatch batch_;
  std::vector<Work> work_;  // of the current step

  uint64_t unseeded_;  // what the seeds of requests without one are made from
  double step_began_s_ = 0;
  RequestId next_id_ = 0;
  std::unordered_map<RequestId, Sequence> sequences_;
  std::vector<EngineEvent> pending_events_;
  std::vector<std::vector<int32_t>> block_tables_;  // [max_sequences] slots
  std::vector<int32_t> free_slots_;
};

}  // namespace fathom

#endif  // FATHOM_ENGINE_ENGINE_H_
