#ifndef FATHOM_SPEC_GENERATION_CONFIG_H_
#define FATHOM_SPEC_GENERATION_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "spec/sampling.h"

namespace fathom {

// What a model's makers recommend for an answer. A field that the file does not give is empty: the
// caller's own default holds.
struct GenerationDefaults {
  SamplingChoice sampling;  // temperature 0 (greedy) when the file says do_sample: false
  std::optional<int64_t> max_new_tokens;  // of an answer; at least 1
  std::vector<int64_t> eos_token_ids;
};

// Reads a Hugging Face generation_config.json; `vocab` bounds the ids. Errors (kBadInput) name the
// JSON path, the value and its limits (those of spec/sampling.h). Keys about search methods other
// than sampling are left alone; transformers' own default of top_k = 50 is not taken over, the file
// has to say it.
Result<GenerationDefaults> ParseGenerationConfig(const Json& json, std::string_view source,
                                                 int64_t vocab);

}  // namespace fathom

#endif  // FATHOM_SPEC_GENERATION_CONFIG_H_
