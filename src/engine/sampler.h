#ifndef FATHOM_ENGINE_SAMPLER_H_
#define FATHOM_ENGINE_SAMPLER_H_

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "engine/sampling_params.h"
#include "engine/token_mask.h"

namespace fathom {

// What penalties need to know of a sequence: each token it holds, and how often the answer has it.
class TokenHistory {
 public:
  void AddPrompt(std::span<const int32_t> tokens);
  void AddAnswer(int32_t token) { ++answer_counts_[token]; }

  // Every token of prompt and answer -> its count in the answer.
  const std::unordered_map<int32_t, int64_t>& answer_counts() const { return answer_counts_; }

 private:
  std::unordered_map<int32_t, int64_t> answer_counts_;
};

// The number at `index` of the stream a seed stands for, in [0, 1) with 53 bits: SplitMix64
// (Steele, Lea, Flood 2014), whose n-th output is a function of seed and n alone. So a sequence
// draws the same numbers in any batch, and after a preemption.
double UniformAt(uint64_t seed, uint64_t index);
uint64_t SplitMix64At(uint64_t seed, uint64_t index);

// Chooses tokens from logits. In this order:
//   bias         l += logit_bias[id]
//   repetition   for each id in prompt or answer: l = l > 0 ? l / r : l * r
//                (CTRL, Keskar et al. 2019, 4.1; the rule for negative logits is transformers')
//   answer       for each id in the answer: l -= presence + frequency * count(id)
//                (OpenAI, "Frequency and presence penalties")
//   mask         tokens it forbids are left out from here on
//   greedy       temperature 0 ends here: the largest l, the lowest id among equals
//   top-k        the k largest l, lower ids first among equals (Fan et al. 2018)
//   temperature  w = exp((l - max l) / temperature)
//   top-p        with probabilities p = w / sum w in falling order, lower ids first among equals:
//                the fewest whose sum reaches top_p, at least one (Holtzman et al. 2020)
//   min-p        those with w >= min_p; the likeliest has w = 1 (Nguyen et al. 2024)
//   draw         the first, walking up, whose running sum of w exceeds uniform * (sum of w)
// Temperature does not change which are the k largest, so weights are computed for k tokens only.
//
// Types    logits f32, adjusted in f32; weights and sums f64.
// Errors   a logit (after bias and penalties) that is NaN or infinite: kFailed, naming its id.
// Threads  one Sampler a thread: it keeps its buffers, so that no step allocates them.
// Cost     one or two passes over the vocabulary; only as much of it is sorted as top-p asks for.
class Sampler {
 public:
  struct Candidate {
    int32_t id = 0;
    float logit = 0;
    double weight = 0;  // proportional to the probability; 1 for the likeliest
  };

  // uniform in [0, 1). `history` is read where there are penalties. `mask` (null: none) allows at
  // least one token. CHECK: logits are not empty, the mask is as long. `params` is valid
  // (ValidateSampling).
  Result<int32_t> Sample(std::span<const float> logits, const SamplingParams& params,
                         const TokenHistory& history, double uniform,
                         const TokenMask* mask = nullptr);

  // The tokens that Sample draws among (for temperature 0 the one it takes). Valid until the next
  // call.
  Result<std::span<const Candidate>> Candidates(std::span<const float> logits,
                                                const SamplingParams& params,
                                                const TokenHistory& history,
                                                const TokenMask* mask = nullptr);

 private:
  std::span<const float> Adjust(std::span<const float> logits, const SamplingParams& params,
                                const TokenHistory& history);
  void Collect(std::span<const float> logits, const TokenMask* mask);
  void KeepTopK(int64_t top_k);
  void Weigh(double temperature);
  void KeepTopP(double top_p);

  std::vector<float> adjusted_;        // [vocab] or empty
  std::vector<Candidate> candidates_;  // [<= vocab]
};

// Fails (kFailed), naming the first token, when a logit is NaN or infinite.
Status CheckFinite(std::span<const float> logits);

}  // namespace fathom

#endif  // FATHOM_ENGINE_SAMPLER_H_
