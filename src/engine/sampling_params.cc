#include "engine/sampling_params.h"

#include <cstdint>
#include <set>
#include <string_view>

#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

// Written so that NaN is outside of every range.
Status InRange(std::string_view name, double value, double low, double high) {
  if (value >= low && value <= high) return Ok();
  return BadInput(Format("{} is {}, expected {} to {}", name, value, low, high));
}

Status ValidateBias(const SamplingParams& params, int64_t vocab) {
  std::set<int32_t> seen;
  for (const auto& [id, bias] : params.logit_bias) {
    if (id < 0 || id >= vocab) {
      return BadInput(Format("logit_bias names token {}, the vocabulary has {} tokens", id, vocab));
    }
    if (!seen.insert(id).second) {
      return BadInput(Format("logit_bias names token {} more than once", id));
    }
    FATHOM_OK(InRange(Format("logit_bias of token {}", id), bias, -100, 100));
  }
  return Ok();
}

}  // namespace

Status ValidateSampling(const SamplingParams& params, int64_t vocab) {
  FATHOM_OK(InRange("temperature", params.temperature, 0, 100));
  if (params.top_k < 0) {
    return BadInput(Format("top_k is {}, expected 0 (all) or more", params.top_k));
  }
  FATHOM_OK(InRange("top_p", params.top_p, 0, 1));
  FATHOM_OK(InRange("min_p", params.min_p, 0, 1));
  FATHOM_OK(InRange("repetition_penalty", params.repetition_penalty, 0.01, 100));
  FATHOM_OK(InRange("presence_penalty", params.presence_penalty, -2, 2));
  FATHOM_OK(InRange("frequency_penalty", params.frequency_penalty, -2, 2));
  return ValidateBias(params, vocab);
}

}  // namespace fathom
