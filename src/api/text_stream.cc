#include "api/text_stream.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/reasoning_splitter.h"
#include "api/reply_text.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

std::vector<ReplyStage> MakeStages(TextStreamOptions options) {
  const ReasoningMode mode = options.reasoning;
  std::vector<ReplyStage> stages = {
      CountReasoning(mode),
      CutAtStop({std::move(options.stop), options.include_stop, options.min_tokens})};
  stages.push_back(options.inline_reasoning ? InlineReasoning(mode) : SplitReasoning(mode));
  return stages;
}

}  // namespace

TextStream::TextStream(const Tokenizer& tokenizer, TextStreamOptions options)
    : detokenizer_(tokenizer, options.skip_special),
      inside_reasoning_(options.reasoning == ReasoningMode::kOpened && !options.inline_reasoning) {
  if (options.reasoning != ReasoningMode::kOff) {
    open_id_ = tokenizer.TokenId(kThinkOpen);
    close_id_ = tokenizer.TokenId(kThinkClose);
  }
  stages_ = MakeStages(std::move(options));
}

ReplyDelta TextStream::Push(int32_t id) {
  if (stopped()) return {};
  ReplyText text;
  text.spans.text = RawPiece(id);
  return Pass(std::move(text));
}

ReplyDelta TextStream::Finish() {
  ReplyText text;
  text.spans.text = detokenizer_.Finish();
  text.last = true;
  return Pass(std::move(text));
}

// Some tokenizers mark the tags as special tokens; leaving them out would lose the border.
std::string TextStream::RawPiece(int32_t id) {
  if (id == open_id_) return detokenizer_.Finish() + std::string(kThinkOpen);
  if (id == close_id_) return detokenizer_.Finish() + std::string(kThinkClose);
  return detokenizer_.Push(id);
}

ReplyDelta TextStream::Pass(ReplyText text) {
  for (const ReplyStage& stage : stages_) stage(text);
  if (text.stop) matched_stop_ = std::move(text.stop);
  if (text.reasoning_token && !text.last) ++reasoning_tokens_;
  inside_reasoning_ = text.inside_reasoning;
  raw_text_ += text.raw;
  return std::move(text.spans);
}

}  // namespace fathom
