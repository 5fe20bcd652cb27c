#ifndef FATHOM_ENGINE_ENGINE_H_
#define FATHOM_ENGINE_ENGINE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/kv_cache.h"
#include "model/model.h"
#include "ops/compute.h"
#include "sched/scheduler.h"
#include "tensor/mat_view.h"

namespace fathom {

// How the next token is chosen; the defaults are greedy-free plain sampling. Order: penalties and
// bias on the logits, temperature, top-k, top-p, min-p, draw.
struct SamplingParams {
  double temperature = 1;  // 0: greedy (the lowest id among equals)
  int64_t top_k = 0;       // 0: all
  double top_p = 1;
  double min_p = 0;               // relative to the most likely
  double repetition_penalty = 1;  // over prompt and answer (CTRL, Keskar et al. 2019)
  double presence_penalty = 0;    // over the answer, as OpenAI defines them
  double frequency_penalty = 0;
  std::vector<std::pair<int32_t, double>> logit_bias;
  std::optional<uint64_t> seed;  // none: drawn by the engine
};

// Names the first field out of range with its value and limits (kBadInput).
Status ValidateSampling(const SamplingParams& params, int64_t vocab);

struct GenerationRequest {
  std::vector<int32_t> prompt;
  SamplingParams sampling;
  int64_t max_tokens = 16;
  std::vector<int32_t> stop_token_ids;  // end the answer; the token itself is not part of it
  // Teacher forcing: nothing is generated; every position's logits are reported by ScoredRows.
  bool score = false;
  bool score_mtp = false;
};

enum class FinishReason { kStop, kLength, kCancelled, kError };
std::string_view FinishReasonName(FinishReason reason);  // "stop", "length", "cancelled", "error"

// One sampled token, or the end of a request. A request ends in exactly one event with `finish`
// set.
struct EngineEvent {
  RequestId id = 0;
  std::optional<int32_t> token;
  std::optional<FinishReason> finish;
};

// Logits of consecutive positions of a scored request; valid until the next Step. mtp_logits row i
// belongs to position first_position + i; the last position of the prompt has no MTP row.
struct ScoredRows {
  RequestId id = 0;
  int64_t first_position = 0;
  MatView<const float> logits;
  MatView<const float> mtp_logits;
};

struct StepResult {
  std::vector<EngineEvent> events;
  std::vector<ScoredRows> scored;
  int64_t prompt_tokens = 0;  // computed in this step
  int64_t sampled_tokens = 0;
};

struct EngineConfig {
  SchedulerConfig scheduler;
  DType kv_dtype = DType::kBF16;  // F32 or BF16
  int64_t max_model_len = 0;      // prompt and answer together
};

// The loop plan -> run -> sample -> apply. Tokens in, tokens out: it knows no text, no thread, no
// socket. The model must outlive it. Threads: one at a time.
class Engine {
 public:
  Engine(Model& model, const EngineConfig& config, const Compute& compute);

  // Queues a request. Refuses (kBadInput), with the numbers: an empty prompt, ids outside the
  // vocabulary, a prompt that leaves no room for an answer, parameters out of range.
  Result<RequestId> Submit(GenerationRequest request);
  // Ends a request: its finish event (kCancelled) comes with the next Step. Unknown or ended ids
  // are ignored.
  void Cancel(RequestId id);

  bool idle() const;
  StepResult Step();

 private:
  struct Sequence;

  Model& model_;
  EngineConfig config_;
  Compute compute_;
};

}  // namespace fathom

#endif  // FATHOM_ENGINE_ENGINE_H_
