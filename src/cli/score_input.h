#ifndef FATHOM_CLI_SCORE_INPUT_H_
#define FATHOM_CLI_SCORE_INPUT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/model_flags.h"
#include "cli/model_folder.h"

namespace fathom {

// One line to score, as ids.
struct ScoreItem {
  std::string id;
  std::vector<int32_t> ids;
};

struct ScoreInputOptions {
  std::string source;         // the file's name, for messages
  bool parse_special = true;  // added tokens in text and messages become their ids
  ContextLength length;       // most ids of a line
};

// Reads lines as api/score_line.h has them; each id stands once. Text begins with BOS where the
// tokenizer adds one to completions; messages go through the chat template, without the start of a
// further answer. Empty lines are skipped.
//
// Errors (kBadInput): the first bad line, with the number of others; ids outside the vocabulary,
// more ids than options.length, text without a tokenizer.
Result<std::vector<ScoreItem>> ParseScoreInput(std::string_view text, const ModelFolder& folder,
                                               const ScoreInputOptions& options);

}  // namespace fathom

#endif  // FATHOM_CLI_SCORE_INPUT_H_
