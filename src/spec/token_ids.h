#ifndef FATHOM_SPEC_TOKEN_IDS_H_
#define FATHOM_SPEC_TOKEN_IDS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fathom {

// Special token ids as config.json and generation_config.json write them: one or a list of them;
// empty when the key is missing or null. Errors (kBadInput): not an integer, or outside [0, vocab).
Result<std::vector<int64_t>> ParseTokenIds(const JsonReader& json, std::string_view key,
                                           int64_t vocab);

}  // namespace fathom

#endif  // FATHOM_SPEC_TOKEN_IDS_H_
