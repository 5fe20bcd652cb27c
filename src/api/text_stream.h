#ifndef FATHOM_API_TEXT_STREAM_H_
#define FATHOM_API_TEXT_STREAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/reasoning_splitter.h"
#include "api/reply_text.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace fathom {

struct TextStreamOptions {
  std::vector<std::string>
      stop;                  // none empty; matched on the raw text, reasoning and tags included
  bool skip_special = true;  // leave special tokens out (never the tags of the reasoning)
  ReasoningMode reasoning = ReasoningMode::kTagged;
  bool inline_reasoning = false;  // all is text: the reasoning stays in it, between its tags
  bool include_stop = false;      // the stop string stays in the text
  int64_t min_tokens = 0;         // stop strings count in the text behind so many tokens
};

// The reply to a prompt, from ids to what a reader sees: ids -> characters, which pass a list of
// stages (api/reply_text.h): cut before a stop string -> reasoning and answer. Nothing it returns
// splits a UTF-8 character, holds part of a stop string or of a tag. All of it joined does not
// depend on when it was asked for. The tokenizer must outlive it.
class TextStream {
 public:
  TextStream(const Tokenizer& tokenizer, TextStreamOptions options);

  // Takes one id. Ids after a stop string are ignored.
  ReplyDelta Push(int32_t id);
  // What is left at the end; call it once.
  ReplyDelta Finish();

  // A stop string was met: no more ids are needed.
  bool stopped() const { return matched_stop_.has_value(); }
  const std::optional<std::string>& matched_stop() const { return matched_stop_; }
  bool inside_reasoning() const { return inside_reasoning_; }
  // Ids that lay between the tags.
  int64_t reasoning_tokens() const { return reasoning_tokens_; }
  // The text as it came, tags included, without the stop string (unless it is to stay): what a
  // chat's history keeps.
  const std::string& raw_text() const { return raw_text_; }

 private:
  std::string RawPiece(int32_t id);
  ReplyDelta Pass(ReplyText text);

  Detokenizer detokenizer_;
  std::vector<ReplyStage> stages_;  // in the order that text passes them
  std::optional<int32_t> open_id_, close_id_;
  std::optional<std::string> matched_stop_;
  bool inside_reasoning_;
  int64_t reasoning_tokens_ = 0;
  std::string raw_text_;
};

}  // namespace fathom

#endif  // FATHOM_API_TEXT_STREAM_H_
