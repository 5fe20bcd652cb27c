#ifndef FATHOM_SPEC_GENERATION_CONFIG_H_
#define FATHOM_SPEC_GENERATION_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fathom {

// What a model's makers recommend for sampling. A field that the file does not give is empty: the
// caller's own default holds.
struct GenerationDefaults {
  std::optional<double> temperature;  // 0 (greedy) when the file says do_sample: false
  std::optional<double> top_p;        // (0, 1]
  std::optional<double> min_p;        // [0, 1]
  std::optional<int64_t> top_k;       // 0: all
  std::optional<double> repetition_penalty;
  std::optional<int64_t> max_new_tokens;
  std::optional<int64_t> bos_token_id;
  std::vector<int64_t> eos_token_ids;
};

// Reads a Hugging Face generation_config.json; `vocab` bounds the ids. Errors (kBadInput) name the
// JSON path, the value and its limits. Keys about search methods other than sampling are left
// alone; transformers' own default of top_k = 50 is not taken over, the file has to say it.
Result<GenerationDefaults> ParseGenerationConfig(const Json& json, std::string_view source,
                                                 int64_t vocab);

}  // namespace fathom

#endif  // FATHOM_SPEC_GENERATION_CONFIG_H_
