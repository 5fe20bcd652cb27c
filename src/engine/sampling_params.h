#ifndef FATHOM_ENGINE_SAMPLING_PARAMS_H_
#define FATHOM_ENGINE_SAMPLING_PARAMS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"

namespace fathom {

// How the next token is chosen; the defaults are plain sampling. sampler.h has the order and the
// formulas, spec/sampling.h the ranges.
struct SamplingParams {
  double temperature = 1;         // 0: greedy (the lowest id among equals)
  int64_t top_k = 0;              // 0: all
  double top_p = 1;               // 0 keeps the likeliest token alone
  double min_p = 0;               // relative to the likeliest
  double repetition_penalty = 1;  // over prompt and answer
  double presence_penalty = 0;    // over the answer, as OpenAI defines them
  double frequency_penalty = 0;
  std::vector<std::pair<int32_t, double>> logit_bias = {};  // [-100, 100] each, an id at most once
  std::optional<uint64_t> seed = std::nullopt;              // none: drawn by the engine
};

// Whether what a sequence holds makes a difference.
inline bool HasPenalties(const SamplingParams& params) {
  return params.repetition_penalty != 1 || params.presence_penalty != 0 ||
         params.frequency_penalty != 0;
}

// Names the first field out of range with its value and limits (kBadInput).
Status ValidateSampling(const SamplingParams& params, int64_t vocab);

}  // namespace fathom

#endif  // FATHOM_ENGINE_SAMPLING_PARAMS_H_
