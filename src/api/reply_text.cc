#include "api/reply_text.h"

#include <string>
#include <utility>

#include "api/reasoning_splitter.h"
#include "api/stop_matcher.h"

namespace fathom {

ReplyStage CountReasoning(ReasoningMode mode) {
  return [splitter = ReasoningSplitter(mode)](ReplyText& text) mutable {
    const bool was_inside = splitter.inside();
    splitter.Push(text.spans.text);
    text.reasoning_token = was_inside && splitter.inside();
  };
}

ReplyStage CutAtStop(StopOptions options) {
  StopMatcher matcher(std::move(options.stop), options.include_stop);
  return [matcher = std::move(matcher), passing = options.min_tokens](ReplyText& text) mutable {
    if (passing > 0 && !text.last) {
      --passing;
    } else {
      text.spans.text = matcher.Push(text.spans.text);
      if (text.last) text.spans.text += matcher.Finish();
      text.stop = matcher.matched();
    }
    text.raw = text.spans.text;
  };
}

ReplyStage SplitReasoning(ReasoningMode mode) {
  return [splitter = ReasoningSplitter(mode)](ReplyText& text) mutable {
    text.spans = splitter.Push(text.spans.text);
    text.inside_reasoning = splitter.inside();
    if (!text.last) return;
    const ReplyDelta rest = splitter.Finish();
    text.spans.reasoning += rest.reasoning;
    text.spans.text += rest.text;
  };
}

ReplyStage InlineReasoning(ReasoningMode mode) {
  return [first = mode == ReasoningMode::kOpened](ReplyText& text) mutable {
    if (first) text.spans.text = std::string(kThinkOpen) + "\n" + text.spans.text;
    first = false;
  };
}

}  // namespace fathom
