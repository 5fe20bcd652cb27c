#ifndef FATHOM_API_REASONING_SPLITTER_H_
#define FATHOM_API_REASONING_SPLITTER_H_

#include <string>
#include <string_view>

namespace fathom {

inline constexpr std::string_view kThinkOpen = "<think>";
inline constexpr std::string_view kThinkClose = "</think>";

// Where the reasoning of a reply is to be looked for.
enum class ReasoningMode {
  kOff,     // everything is the answer, tags included
  kTagged,  // the reply may begin with <think>
  kOpened,  // the prompt ended with <think>: the reply is reasoning from its first character
};

// How the reply to this prompt begins: kOpened when the prompt ends with <think> (and whitespace).
ReasoningMode ReasoningModeAfter(std::string_view prompt);

// New text of a reply; either may be empty.
struct ReplyDelta {
  std::string reasoning;
  std::string text;
};

// Splits a reply into its reasoning and its answer: <think>reasoning</think>answer. The tags and
// the whitespace beside them belong to neither. Tags count only where they are expected: an opening
// one before anything else, the first closing one inside the reasoning; all others are text. A
// reply that ends inside its reasoning has no answer. The result does not depend on how the text
// was cut.
class ReasoningSplitter {
 public:
  explicit ReasoningSplitter(ReasoningMode mode);

  ReplyDelta Push(std::string_view piece);
  // What was held back when no more text comes.
  ReplyDelta Finish();

  // True between the tags.
  bool inside() const { return phase_ == Phase::kReasoning; }

 private:
  enum class Phase { kBeforeTag, kReasoning, kAnswer };

  // Each consumes what it can decide of held_; false: more text is needed first.
  bool TakeTag();
  bool TakeReasoning(ReplyDelta& delta);
  void TakeAnswer(ReplyDelta& delta);
  void DropLeadingSpace();

  Phase phase_;
  bool at_start_ = false;  // nothing but whitespace was seen since the last tag
  std::string held_;
};

}  // namespace fathom

#endif  // FATHOM_API_REASONING_SPLITTER_H_
