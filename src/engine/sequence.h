#ifndef FATHOM_ENGINE_SEQUENCE_H_
#define FATHOM_ENGINE_SEQUENCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/sampler.h"
#include "engine/sampling_params.h"
#include "engine/token_mask.h"
#include "engine/token_rules.h"
#include "sched/request.h"

namespace fathom {

// A request on its way through the engine.
struct Sequence {
  RequestId id = 0;
  std::vector<int32_t> tokens;  // prompt and answer
  int64_t prompt_tokens = 0;    // of them
  int64_t max_tokens = 0;       // of the answer
  SamplingParams sampling;
  uint64_t seed = 0;
  TokenHistory history;  // kept where there are penalties
  std::vector<int32_t> stop_token_ids;
  std::shared_ptr<const TokenRules> rules;  // null: any token may come
  std::optional<TokenMask> before_stop;     // the same without the stop tokens, for min_tokens
  int64_t min_tokens = 0;                   // of the answer, before a stop token may end it
  std::optional<int64_t> top_logprobs;      // none: no log-probabilities are reported
  bool score = false;
  bool score_mtp = false;
  int64_t scored_positions = 0;          // already reported: not again after a preemption
  std::optional<int32_t> slot;           // of its block table, while it runs
  double arrival_s = 0;                  // on the engine's clock
  double started_s = 0;                  // when its first step began; 0: not yet
  std::optional<int64_t> cached_tokens;  // found in the cache when it ran first

  int64_t answer_tokens() const { return static_cast<int64_t>(tokens.size()) - prompt_tokens; }
  std::span<const int32_t> answer() const {
    return std::span(tokens).subspan(static_cast<size_t>(prompt_tokens));
  }
  // What may come next, save what would complete a bad word; null: anything.
  const TokenMask* NextMask() const {
    if (answer_tokens() < min_tokens && before_stop) return &*before_stop;
    return rules == nullptr ? nullptr : &rules->mask();
  }
};

}  // namespace fathom

#endif  // FATHOM_ENGINE_SEQUENCE_H_
