#ifndef FATHOM_SPEC_TOKEN_IDS_H_
#define FATHOM_SPEC_TOKEN_IDS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fathom {

// Special token ids as config.json and generation_config.json write them. Errors (kBadInput): not
// an integer, or outside [0, vocab).

// One id; none when the key is missing or null.
Result<std::optional<int64_t>> ParseTokenId(const JsonReader& json, std::string_view key,
                                            int64_t vocab);
// One id or a list of them; empty when the key is missing or null.
Result<std::vector<int64_t>> ParseTokenIds(const JsonReader& json, std::string_view key,
                                           int64_t vocab);

}  // namespace fathom

#endif  // FATHOM_SPEC_TOKEN_IDS_H_
