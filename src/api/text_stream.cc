#include "api/text_stream.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/reasoning_splitter.h"
#include "text/tokenizer.h"

namespace fathom {

TextStream::TextStream(const Tokenizer& tokenizer, TextStreamOptions options)
    : detokenizer_(tokenizer, options.skip_special),
      stops_(std::move(options.stop)),
      split_(options.reasoning),
      undelayed_(options.reasoning) {
  if (options.reasoning == ReasoningMode::kOff) return;
  open_id_ = tokenizer.TokenId(kThinkOpen);
  close_id_ = tokenizer.TokenId(kThinkClose);
}

ReplyDelta TextStream::Push(int32_t id) {
  if (stopped()) return {};
  const std::string piece = RawPiece(id);
  const bool was_inside = undelayed_.inside();
  undelayed_.Push(piece);
  if (was_inside && undelayed_.inside()) ++reasoning_tokens_;
  return Split(stops_.Push(piece));
}

ReplyDelta TextStream::Finish() {
  ReplyDelta delta = Split(stops_.Push(detokenizer_.Finish()) + stops_.Finish());
  const ReplyDelta rest = split_.Finish();
  delta.reasoning += rest.reasoning;
  delta.text += rest.text;
  return delta;
}

// Some tokenizers mark the tags as special tokens; leaving them out would lose the border.
std::string TextStream::RawPiece(int32_t id) {
  if (id == open_id_) return detokenizer_.Finish() + std::string(kThinkOpen);
  if (id == close_id_) return detokenizer_.Finish() + std::string(kThinkClose);
  return detokenizer_.Push(id);
}

ReplyDelta TextStream::Split(std::string_view piece) {
  raw_text_ += piece;
  return split_.Push(piece);
}

}  // namespace fathom
