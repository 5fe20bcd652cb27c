#ifndef FATHOM_API_TEXT_STREAM_H_
#define FATHOM_API_TEXT_STREAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/reasoning_splitter.h"
#include "api/stop_matcher.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace fathom {

struct TextStreamOptions {
  std::vector<std::string>
      stop;                  // none empty; matched on the raw text, reasoning and tags included
  bool skip_special = true;  // leave special tokens out (never the tags of the reasoning)
  ReasoningMode reasoning = ReasoningMode::kTagged;
};

// The reply to a prompt, from ids to what a reader sees: ids -> characters -> cut before a stop
// string -> reasoning and answer. Nothing it returns splits a UTF-8 character, holds part of a stop
// string or of a tag. All of it joined does not depend on when it was asked for.
// The tokenizer must outlive it.
class TextStream {
 public:
  TextStream(const Tokenizer& tokenizer, TextStreamOptions options);

  // Takes one id. Ids after a stop string are ignored.
  ReplyDelta Push(int32_t id);
  // What is left at the end; call it once.
  ReplyDelta Finish();

  // A stop string was met: no more ids are needed.
  bool stopped() const { return stops_.stopped(); }
  const std::optional<std::string>& matched_stop() const { return stops_.matched(); }
  bool inside_reasoning() const { return split_.inside(); }
  // Ids that lay between the tags.
  int64_t reasoning_tokens() const { return reasoning_tokens_; }
  // The text as it came, tags included, without the stop string: what a chat's history keeps.
  const std::string& raw_text() const { return raw_text_; }

 private:
  std::string RawPiece(int32_t id);
  ReplyDelta Split(std::string_view piece);

  Detokenizer detokenizer_;
  StopMatcher stops_;
  ReasoningSplitter split_;
  ReasoningSplitter undelayed_;  // sees what stops_ still holds back: the count must not lag
  std::optional<int32_t> open_id_, close_id_;
  int64_t reasoning_tokens_ = 0;
  std::string raw_text_;
};

}  // namespace fathom

#endif  // FATHOM_API_TEXT_STREAM_H_
