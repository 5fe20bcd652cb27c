#include "spec/generation_config.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "spec/sampling.h"
#include "spec/token_ids.h"

namespace fathom {
namespace {

Status Read(const JsonReader& json, const SamplingField& field, std::optional<double>& value) {
  if (!json.Has(field.name)) return Ok();
  FATHOM_TRY(value, json.Number(field.name));
  if (field.Allows(*value)) return Ok();
  return json.Mismatch(field.name, Format("a number from {} to {}", field.low, field.high));
}

Status Read(const JsonReader& json, const SamplingField& field, std::optional<int64_t>& value) {
  if (!json.Has(field.name)) return Ok();
  FATHOM_TRY(value, json.Int(field.name, static_cast<int64_t>(field.low),
                             static_cast<int64_t>(field.high)));
  return Ok();
}

Result<SamplingChoice> ReadSampling(const JsonReader& json) {
  SamplingChoice sampling;
  Status first = Ok();
  VisitSampling(
      [&](const SamplingField& field, auto& value) {
        if (first.ok()) first = Read(json, field, value);
      },
      sampling);
  FATHOM_OK(first);
  FATHOM_TRY(const bool sample, json.BoolOr("do_sample", true));
  if (!sample) sampling.temperature = 0;
  return sampling;
}

Result<std::optional<int64_t>> ReadMaxNewTokens(const JsonReader& json) {
  if (!json.Has("max_new_tokens")) return std::optional<int64_t>();
  FATHOM_TRY(const int64_t value,
             json.Int("max_new_tokens", 1, std::numeric_limits<int32_t>::max()));
  return std::optional<int64_t>(value);
}

}  // namespace

Result<GenerationDefaults> ParseGenerationConfig(const Json& json, std::string_view source,
                                                 int64_t vocab) {
  const JsonReader root(json, JsonSource::Fetched(source));
  if (!json.is_object()) return root.Mismatch("", "an object");
  GenerationDefaults defaults;
  FATHOM_TRY(defaults.sampling, ReadSampling(root));
  FATHOM_TRY(defaults.max_new_tokens, ReadMaxNewTokens(root));
  FATHOM_TRY(defaults.eos_token_ids, ParseTokenIds(root, "eos_token_id", vocab));
  return defaults;
}

}  // namespace fathom
