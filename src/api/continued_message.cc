#include "api/continued_message.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/reasoning_splitter.h"
#include "base/check.h"
#include "base/json.h"
#include "base/result.h"
#include "text/jinja_strings.h"
#include "text/marked_text.h"

namespace fathom {
namespace {

// The space at its end shows whether the template strips what it is given.
constexpr std::string_view kMark = "(the answer goes on here) ";
constexpr std::string_view kStrippedMark = kMark.substr(0, kMark.size() - 1);

// The last span of a message that holds the mark; none: spans.size().
size_t FindMark(const std::vector<TextSpan>& spans) {
  for (size_t i = spans.size(); i > 0; --i) {
    const TextSpan& span = spans[i - 1];
    if (span.from_message && span.text.find(kStrippedMark) != std::string::npos) return i - 1;
  }
  return spans.size();
}

void CutSpan(std::string& text) {
  const size_t mark = text.rfind(kStrippedMark);
  const bool stripped = text.compare(mark, kMark.size(), kMark) != 0;
  text.resize(mark);
  if (stripped) {
    text = jinja::Strip(MarkedText(text, true), jinja::Side::kRight, std::nullopt).text();
  }
}

// The message itself, and what the template wrote right before it.
std::string LastTurn(const std::vector<TextSpan>& spans) {
  size_t begin = spans.size() - 1;
  while (begin > 0 && spans[begin].from_message) --begin;
  std::string text;
  for (size_t i = begin; i < spans.size(); ++i) text += spans[i].text;
  return text;
}

}  // namespace

Json MarkLastMessage(Json messages) {
  FATHOM_CHECK(messages.is_array() && !messages.as_array().empty());
  Json& last = messages.as_array().back();
  const Json* content = last.Find("content");
  FATHOM_CHECK(content != nullptr && content->is_string());
  last.Set("content", content->as_string() + std::string(kMark));
  return messages;
}

Result<ReasoningMode> CutAtMark(std::vector<TextSpan>& spans) {
  const size_t at = FindMark(spans);
  if (at == spans.size()) {
    return BadInput("the chat template leaves out the end of the message to be continued", "",
                    "end with a message that the template writes whole, or do not continue it");
  }
  spans.resize(at + 1);
  CutSpan(spans[at].text);
  const std::string turn = LastTurn(spans);
  const size_t opened = turn.rfind(kThinkOpen);
  const bool open =
      opened != std::string::npos && turn.find(kThinkClose, opened) == std::string::npos;
  return open ? ReasoningMode::kOpened : ReasoningMode::kOff;
}

}  // namespace fathom
