#include "engine/sampling_params.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/result.h"
#include "spec/sampling.h"

namespace fathom {
namespace {

// The value came from a flag or from generation_config.json, which flags override.
Error OutOfRange(std::string what) {
  return BadInput(std::move(what), "",
                  "give a value in this range; a flag takes the place of generation_config.json's");
}

// Written so that NaN is outside of every range.
Status InRange(std::string_view name, double value, double low, double high) {
  if (value >= low && value <= high) return Ok();
  return OutOfRange(Format("{} is {}, expected {} to {}", name, value, low, high));
}

Status ValidateBias(const SamplingParams& params, int64_t vocab) {
  std::set<int32_t> seen;
  for (const auto& [id, bias] : params.logit_bias) {
    if (id < 0 || id >= vocab) {
      return BadInput(Format("logit_bias names token {}, the vocabulary has {} tokens", id, vocab),
                      "", Format("name ids from 0 to {}", vocab - 1));
    }
    if (!seen.insert(id).second) {
      return BadInput(Format("logit_bias names token {} more than once", id), "", "name it once");
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
