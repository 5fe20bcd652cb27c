#include "model/rope_frequencies.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/check.h"
#include "spec/model_config.h"

namespace fathom {
namespace {

double YarnMagnitude(const RopeConfig& rope, double mscale) {
  return rope.factor > 1 ? 0.1 * mscale * std::log(rope.factor) + 1 : 1;
}

// The pair index that makes `turns` turns within the trained context.
double PairWithTurns(const RopeConfig& rope, double turns) {
  const double dim = static_cast<double>(rope.dim);
  const double context = static_cast<double>(rope.original_max_positions);
  return dim * std::log(context / (2 * std::numbers::pi * turns)) / (2 * std::log(rope.theta));
}

void ApplyYarn(const RopeConfig& rope, RopeFrequencies& frequencies) {
  const double low = std::max(std::floor(PairWithTurns(rope, rope.beta_fast)), 0.0);
  double high =
      std::min(std::ceil(PairWithTurns(rope, rope.beta_slow)), static_cast<double>(rope.dim - 1));
  if (high == low) high += 0.001;  // as the references do, so that the ramp has a slope
  double pair = 0;
  for (double& inverse : frequencies.inverse) {
    const double scaled_share = std::clamp((pair - low) / (high - low), 0.0, 1.0);
    inverse = inverse / rope.factor * scaled_share + inverse * (1 - scaled_share);
    ++pair;
  }
  frequencies.magnitude =
      YarnMagnitude(rope, rope.mscale) / YarnMagnitude(rope, rope.mscale_all_dim);
}

void ApplyLlama3(const RopeConfig& rope, RopeFrequencies& frequencies) {
  const double context = static_cast<double>(rope.original_max_positions);
  for (double& inverse : frequencies.inverse) {
    const double turns = context * inverse / (2 * std::numbers::pi);
    const double kept_share = std::clamp(
        (turns - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor), 0.0, 1.0);
    inverse = inverse / rope.factor * (1 - kept_share) + inverse * kept_share;
  }
}

}  // namespace

RopeFrequencies MakeRopeFrequencies(const RopeConfig& rope) {
  FATHOM_CHECK(rope.dim > 0 && rope.dim % 2 == 0);
  RopeFrequencies frequencies;
  for (int64_t i = 0; i < rope.dim; i += 2) {
    const double exponent = -static_cast<double>(i) / static_cast<double>(rope.dim);
    frequencies.inverse.push_back(std::pow(rope.theta, exponent));
  }
  if (rope.scaling == RopeConfig::Scaling::kYarn) ApplyYarn(rope, frequencies);
  if (rope.scaling == RopeConfig::Scaling::kLlama3) ApplyLlama3(rope, frequencies);
  return frequencies;
}

double SoftmaxScale(const ModelConfig& config) {
  const int64_t key_dim = config.mla ? config.mla->qk_nope_head_dim + config.mla->qk_rope_head_dim
                                     : config.gqa->head_dim;
  const double scale = 1 / std::sqrt(static_cast<double>(key_dim));
  if (config.rope.scaling != RopeConfig::Scaling::kYarn) return scale;
  const double magnitude = YarnMagnitude(config.rope, config.rope.mscale_all_dim);
  return scale * magnitude * magnitude;
}

}  // namespace fathom
