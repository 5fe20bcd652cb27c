#include "spec/generation_config.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "spec/token_ids.h"

namespace fathom {
namespace {

using OptionalNumber = std::optional<double>;
using OptionalInt = std::optional<int64_t>;

struct Range {
  double low;
  double high;
  bool low_included;
};

Result<OptionalNumber> NumberIn(const JsonReader& json, std::string_view key, Range range) {
  if (!json.Has(key)) return OptionalNumber();
  FATHOM_TRY(const double value, json.Number(key));
  const bool above = range.low_included ? value >= range.low : value > range.low;
  if (above && value <= range.high) return OptionalNumber(value);
  const std::string_view pattern =
      range.low_included ? "a number from {} to {}" : "a number above {}, at most {}";
  return json.Mismatch(key, Format(pattern, range.low, range.high));
}

Result<OptionalInt> IntAtLeast(const JsonReader& json, std::string_view key, int64_t low) {
  if (!json.Has(key)) return OptionalInt();
  FATHOM_TRY(const int64_t value, json.Int(key, low, std::numeric_limits<int32_t>::max()));
  return OptionalInt(value);
}

}  // namespace

Result<GenerationDefaults> ParseGenerationConfig(const Json& json, std::string_view source,
                                                 int64_t vocab) {
  const JsonReader root(json, JsonSource::Fetched(source));
  if (!json.is_object()) return root.Mismatch("", "an object");
  GenerationDefaults defaults;
  FATHOM_TRY(defaults.temperature, NumberIn(root, "temperature", {0, 100, true}));
  FATHOM_TRY(defaults.top_p, NumberIn(root, "top_p", {0, 1, false}));
  FATHOM_TRY(defaults.min_p, NumberIn(root, "min_p", {0, 1, true}));
  FATHOM_TRY(defaults.top_k, IntAtLeast(root, "top_k", 0));
  FATHOM_TRY(defaults.repetition_penalty, NumberIn(root, "repetition_penalty", {0, 100, false}));
  FATHOM_TRY(defaults.max_new_tokens, IntAtLeast(root, "max_new_tokens", 1));
  FATHOM_TRY(const bool sample, root.BoolOr("do_sample", true));
  if (!sample) defaults.temperature = 0;
  FATHOM_TRY(defaults.bos_token_id, ParseTokenId(root, "bos_token_id", vocab));
  FATHOM_TRY(defaults.eos_token_ids, ParseTokenIds(root, "eos_token_id", vocab));
  return defaults;
}

}  // namespace fathom
