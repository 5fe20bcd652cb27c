#ifndef FATHOM_API_SCORE_LINE_H_
#define FATHOM_API_SCORE_LINE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/input_text.h"
#include "base/result.h"

namespace fathom {

// One line of the input of `fathom score`: a name, and ids, a text or messages.
struct ScoreLine {
  std::string id;
  std::variant<std::vector<int32_t>, std::string, Conversation> input;
};

// Reads one line of JSON: {"id": NAME, and one of "ids": [...], "text": TEXT, "messages": [...]};
// with "messages" also "tools". NAME has 1 to 200 letters, digits, '.', '_' and '-', and is not "."
// or "..": it can be a file's name. Ids are from 0 to below `vocab`.
//
// Errors (kBadInput) begin with `where` and name the member.
Result<ScoreLine> ParseScoreLine(std::string_view line, const std::string& where, int64_t vocab);

}  // namespace fathom

#endif  // FATHOM_API_SCORE_LINE_H_
