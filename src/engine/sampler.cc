#include "engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "engine/sampling_params.h"

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

// max_element returns the first of equals: the lowest id.
int32_t ArgMax(std::span<const float> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
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

bool HasPenalties(const SamplingParams& params) {
  return params.repetition_penalty != 1 || params.presence_penalty != 0 ||
         params.frequency_penalty != 0;
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
  for (size_t i = 0; i < logits.size(); ++i) {
    if (!std::isfinite(logits[i]))
      return Failed(Format("the logit of token {} is {}", i, logits[i]));
  }
  return Ok();
}

Result<int32_t> Sampler::Sample(std::span<const float> logits, const SamplingParams& params,
                                const TokenHistory& history, double uniform) {
  FATHOM_TRY(const std::span<const Candidate> candidates, Candidates(logits, params, history));
  return Draw(candidates, uniform);
}

Result<std::span<const Candidate>> Sampler::Candidates(std::span<const float> logits,
                                                       const SamplingParams& params,
                                                       const TokenHistory& history) {
  FATHOM_CHECK(!logits.empty());
  const std::span<const float> adjusted = Adjust(logits, params, history);
  FATHOM_OK(CheckFinite(adjusted));
  const int32_t likeliest = ArgMax(adjusted);
  const float max_logit = adjusted[static_cast<size_t>(likeliest)];
  if (params.temperature == 0) {
    candidates_.assign(1, {likeliest, max_logit, 1});
    return std::span<const Candidate>(candidates_);
  }
  candidates_.resize(adjusted.size());
  for (size_t i = 0; i < adjusted.size(); ++i) {
    candidates_[i] = {static_cast<int32_t>(i), adjusted[i], 0};
  }
  KeepTopK(params.top_k);
  Weigh(max_logit, params.temperature);
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

void Sampler::KeepTopK(int64_t top_k) {
  if (top_k == 0 || top_k >= static_cast<int64_t>(candidates_.size())) return;
  std::nth_element(candidates_.begin(), candidates_.begin() + top_k, candidates_.end(), Likelier);
  candidates_.resize(static_cast<size_t>(top_k));
  // nth_element leaves them in an order of its library's choosing; the draw walks in this one.
  std::sort(candidates_.begin(), candidates_.end(), Likelier);
}

void Sampler::Weigh(double max_logit, double temperature) {
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
