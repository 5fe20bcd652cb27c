#include "engine/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "engine/sampling_params.h"
#include "engine/token_mask.h"

namespace fathom {
namespace {

using Candidate = Sampler::Candidate;

bool Likelier(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

double Sum(std::span<const Candidate> candidates) {
  double sum = 0;
  for (const Candidate& candidate : candidates) sum += candidate.weight;
  return sum;
}

struct Survey {
  float max = 0;
  bool finite = true;
};

// In lanes that the compiler can turn into vectors: the passes over the vocabulary are what greedy
// sampling costs. A NaN or an infinity makes its lane's sum of x * 0 a NaN.
Survey SurveyLogits(std::span<const float> logits) {
  FATHOM_CHECK(!logits.empty());
  constexpr size_t kLanes = 16;
  std::array<float, kLanes> max;
  std::array<float, kLanes> zero = {};
  max.fill(logits[0]);
  size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float x = logits[i + lane];
      max[lane] = x > max[lane] ? x : max[lane];
      zero[lane] += x * 0;
    }
  }
  for (; i < logits.size(); ++i) {
    max[0] = std::max(max[0], logits[i]);
    zero[0] += logits[i] * 0;
  }
  const float sum = std::accumulate(zero.begin(), zero.end(), 0.0F);
  return {*std::max_element(max.begin(), max.end()), sum == 0};
}

int32_t Draw(std::span<const Candidate> candidates, double uniform) {
  const double target = uniform * Sum(candidates);
  double reached = 0;
  for (const Candidate& candidate : candidates) {
    reached += candidate.weight;
    if (reached > target) return candidate.id;
  }
  // uniform <= 1 - 2^-53, so its product with the sum is below the sum, which the loop reaches.
  FATHOM_CHECK(false && "uniform < 1");
  return 0;
}

float Penalize(double logit, int64_t answer_count, const SamplingParams& params) {
  const double r = params.repetition_penalty;
  logit = logit > 0 ? logit / r : logit * r;
  if (answer_count > 0) {
    logit -= params.presence_penalty + params.frequency_penalty * static_cast<double>(answer_count);
  }
  return static_cast<float>(logit);
}

}  // namespace

void TokenHistory::AddPrompt(std::span<const int32_t> tokens) {
  for (const int32_t token : tokens) answer_counts_.try_emplace(token, 0);
}

uint64_t SplitMix64At(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

double UniformAt(uint64_t seed, uint64_t index) {
  return static_cast<double>(SplitMix64At(seed, index) >> 11) * 0x1p-53;
}

Status CheckFinite(std::span<const float> logits) {
  if (SurveyLogits(logits).finite) return Ok();
  const auto bad = std::ranges::find_if(logits, [](float x) { return !std::isfinite(x); });
  return Failed(Format("the logit of token {} is {}", bad - logits.begin(), *bad), "",
                "a weight is damaged, or a sum left the range of its type: try --dtype float32; if "
                "that does not help, fetch the checkpoint again");
}

Result<int32_t> Sampler::Sample(std::span<const float> logits, const SamplingParams& params,
                                const TokenHistory& history, double uniform,
                                const TokenMask* mask) {
  FATHOM_TRY(const std::span<const Candidate> candidates,
             Candidates(logits, params, history, mask));
  return Draw(candidates, uniform);
}

Result<std::span<const Candidate>> Sampler::Candidates(std::span<const float> logits,
                                                       const SamplingParams& params,
                                                       const TokenHistory& history,
                                                       const TokenMask* mask) {
  const std::span<const float> adjusted = Adjust(logits, params, history);
  const Survey survey = SurveyLogits(adjusted);
  if (!survey.finite) return CheckFinite(adjusted).error();
  if (params.temperature == 0 && mask == nullptr) {
    const auto likeliest = std::ranges::find(adjusted, survey.max) - adjusted.begin();
    candidates_.assign(1, {static_cast<int32_t>(likeliest), survey.max, 1});
    return std::span<const Candidate>(candidates_);
  }
  Collect(adjusted, mask);
  const bool greedy = params.temperature == 0;
  KeepTopK(greedy ? 1 : params.top_k);
  Weigh(greedy ? 1 : params.temperature);
  KeepTopP(params.top_p);
  std::erase_if(candidates_, [&](const Candidate& c) { return c.weight < params.min_p; });
  return std::span<const Candidate>(candidates_);
}

std::span<const float> Sampler::Adjust(std::span<const float> logits, const SamplingParams& params,
                                       const TokenHistory& history) {
  const bool penalties = HasPenalties(params);
  if (params.logit_bias.empty() && !penalties) return logits;
  adjusted_.assign(logits.begin(), logits.end());
  for (const auto& [id, bias] : params.logit_bias) {
    adjusted_[static_cast<size_t>(id)] += static_cast<float>(bias);
  }
  if (penalties) {
    for (const auto& [id, count] : history.answer_counts()) {
      float& logit = adjusted_[static_cast<size_t>(id)];
      logit = Penalize(logit, count, params);
    }
  }
  return adjusted_;
}

void Sampler::Collect(std::span<const float> logits, const TokenMask* mask) {
  FATHOM_CHECK(mask == nullptr || mask->vocab() == static_cast<int64_t>(logits.size()));
  candidates_.clear();
  candidates_.reserve(logits.size());
  for (size_t i = 0; i < logits.size(); ++i) {
    if (mask == nullptr || mask->Allows(i)) {
      candidates_.push_back({static_cast<int32_t>(i), logits[i], 0});
    }
  }
  FATHOM_CHECK(!candidates_.empty());
}

void Sampler::KeepTopK(int64_t top_k) {
  if (top_k == 0 || top_k >= static_cast<int64_t>(candidates_.size())) return;
  // Not nth_element: the draw walks in order, which must not be the library's choice.
  std::partial_sort(candidates_.begin(), candidates_.begin() + top_k, candidates_.end(), Likelier);
  candidates_.resize(static_cast<size_t>(top_k));
}

void Sampler::Weigh(double temperature) {
  const double max_logit = std::ranges::max_element(candidates_, {}, &Candidate::logit)->logit;
  for (Candidate& candidate : candidates_) {
    candidate.weight = std::exp((static_cast<double>(candidate.logit) - max_logit) / temperature);
  }
}

void Sampler::KeepTopP(double top_p) {
  if (top_p == 1) return;
  const double target = top_p * Sum(candidates_);
  const size_t size = candidates_.size();
  double reached = 0;
  // The nucleus of a trained model is small: sort 64, then eight times as many, until it is
  // reached.
  size_t sorted = 0;
  for (size_t end = std::min<size_t>(64, size); sorted < size; end = std::min(end * 8, size)) {
    const auto begin = candidates_.begin();
    std::partial_sort(begin + static_cast<ptrdiff_t>(sorted), begin + static_cast<ptrdiff_t>(end),
                      candidates_.end(), Likelier);
    for (; sorted < end; ++sorted) {
      reached += candidates_[sorted].weight;
      if (reached >= target) {
        candidates_.resize(sorted + 1);
        return;
      }
    }
  }
}

}  // namespace fathom
