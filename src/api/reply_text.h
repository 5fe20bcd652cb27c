#ifndef FATHOM_API_REPLY_TEXT_H_
#define FATHOM_API_REPLY_TEXT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/reasoning_splitter.h"

namespace fathom {

// New text of a reply on its way from the tokens to the reader, with what the stages it passes
// learn of it.
struct ReplyText {
  ReplyDelta spans;   // at first all of it is `text`
  bool last = false;  // no more follows: what a stage holds back is due

  std::optional<std::string> stop;  // the stop string that was met: nothing more follows
  bool reasoning_token = false;     // the token lies between the tags
  bool inside_reasoning = false;    // the text ends there
  std::string raw;                  // what the stop strings let through, tags included
};

// A stage changes the text that passes: it moves spans to where they belong, holds back what only
// later text decides and gives it with that or with the last. It keeps its own state. What comes
// out of all texts joined does not depend on how they were cut.
using ReplyStage = std::function<void(ReplyText& text)>;

// Sets reasoning_token, seeing what later stages hold back: the count must not lag.
ReplyStage CountReasoning(ReasoningMode mode);

struct StopOptions {
  std::vector<std::string> stop;  // none empty
  bool include_stop = false;      // the stop string stays in the text
  int64_t min_tokens = 0;         // stop strings count in the text behind so many tokens
};
// Cuts the text at the first stop string; sets stop and raw.
ReplyStage CutAtStop(StopOptions options);

// Moves the reasoning to its span and takes the tags away; sets inside_reasoning.
ReplyStage SplitReasoning(ReasoningMode mode);

// Leaves the reasoning in the text with its tags; where the prompt holds the opening one,
// "<think>\n" begins the reply.
ReplyStage InlineReasoning(ReasoningMode mode);

}  // namespace fathom

#endif  // FATHOM_API_REPLY_TEXT_H_
