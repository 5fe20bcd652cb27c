#include "api/reasoning_splitter.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace fathom {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// The longest end of `text` that `tag` begins with (but is not all of it).
size_t TagSuffix(std::string_view text, std::string_view tag) {
  for (size_t size = std::min(text.size(), tag.size() - 1); size > 0; --size) {
    if (text.ends_with(tag.substr(0, size))) return size;
  }
  return 0;
}

std::string_view TrimEnd(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

}  // namespace

ReasoningMode ReasoningModeAfter(std::string_view prompt) {
  return TrimEnd(prompt).ends_with(kThinkOpen) ? ReasoningMode::kOpened : ReasoningMode::kTagged;
}

ReasoningSplitter::ReasoningSplitter(ReasoningMode mode)
    : phase_(mode == ReasoningMode::kOff      ? Phase::kAnswer
             : mode == ReasoningMode::kOpened ? Phase::kReasoning
                                              : Phase::kBeforeTag),
      at_start_(mode == ReasoningMode::kOpened) {}

ReplyDelta ReasoningSplitter::Push(std::string_view piece) {
  held_ += piece;
  ReplyDelta delta;
  if (phase_ == Phase::kBeforeTag && !TakeTag()) return delta;
  if (phase_ == Phase::kReasoning && !TakeReasoning(delta)) return delta;
  TakeAnswer(delta);
  return delta;
}

ReplyDelta ReasoningSplitter::Finish() {
  std::string rest = std::exchange(held_, "");
  return phase_ == Phase::kReasoning ? ReplyDelta{std::move(rest), ""}
                                     : ReplyDelta{"", std::move(rest)};
}

bool ReasoningSplitter::TakeTag() {
  const size_t first = std::min(held_.find_first_not_of(kSpace), held_.size());
  const std::string_view begin = std::string_view(held_).substr(first, kThinkOpen.size());
  if (!kThinkOpen.starts_with(begin)) {
    phase_ = Phase::kAnswer;
    return true;
  }
  if (begin.size() < kThinkOpen.size()) return false;
  held_.erase(0, first + kThinkOpen.size());
  phase_ = Phase::kReasoning;
  at_start_ = true;
  return true;
}

bool ReasoningSplitter::TakeReasoning(ReplyDelta& delta) {
  DropLeadingSpace();
  const std::string_view held = held_;
  const size_t tag = held.find(kThinkClose);
  const bool closed = tag != std::string::npos;
  const size_t decided = closed ? tag : held.size() - TagSuffix(held, kThinkClose);
  const std::string_view out = TrimEnd(held.substr(0, decided));
  delta.reasoning += out;
  held_.erase(0, closed ? tag + kThinkClose.size() : out.size());
  if (closed) {
    phase_ = Phase::kAnswer;
    at_start_ = true;
  }
  return closed;
}

void ReasoningSplitter::TakeAnswer(ReplyDelta& delta) {
  DropLeadingSpace();
  delta.text += std::exchange(held_, "");
}

void ReasoningSplitter::DropLeadingSpace() {
  if (!at_start_) return;
  held_.erase(0, std::min(held_.find_first_not_of(kSpace), held_.size()));
  at_start_ = held_.empty();
}

}  // namespace fathom
