#include "engine/sampling_params.h"

#include <cstdint>
#include <set>
#include <string_view>

#include "base/format.h"
#include "base/result.h"
#include "spec/sampling.h"

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
  Status first = Ok();
  VisitSampling(
      [&first](const SamplingField& field, auto value) {
        if (first.ok())
          first = InRange(field.name, static_cast<double>(value), field.low, field.high);
      },
      params);
  FATHOM_OK(first);
  return ValidateBias(params, vocab);
}

}  // namespace fathom
