#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/reasoning_splitter.h"
#include "api/stop_matcher.h"
#include "api/text_stream.h"
#include "base/check.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

// What the headers promise, for any ids: pieces are whole characters, all joined is what one look
// at the whole raw text gives, and the raw text is the decoded ids cut before the first stop
// string.

namespace fathom {
namespace {

bool IsWhole(const std::string& text) { return ValidUtf8Prefix(text) == text.size(); }

struct Fed {
  ReplyDelta all;
  std::string raw;
};

Fed Feed(const Tokenizer& tokenizer, const TextStreamOptions& options,
         std::span<const int32_t> ids) {
  TextStream stream(tokenizer, options);
  Fed fed;
  const auto add = [&fed](const ReplyDelta& delta) {
    FATHOM_CHECK(IsWhole(delta.text) && IsWhole(delta.reasoning));
    fed.all.text += delta.text;
    fed.all.reasoning += delta.reasoning;
  };
  int64_t pushed = 0;
  for (const int32_t id : ids) {
    if (stream.stopped()) break;
    add(stream.Push(id));
    ++pushed;
  }
  add(stream.Finish());
  FATHOM_CHECK(stream.reasoning_tokens() >= 0 && stream.reasoning_tokens() <= pushed);
  fed.raw = stream.raw_text();
  return fed;
}

ReplyDelta SplitAtOnce(ReasoningMode mode, const std::string& raw) {
  ReasoningSplitter splitter(mode);
  ReplyDelta all = splitter.Push(raw);
  const ReplyDelta rest = splitter.Finish();
  return {all.reasoning + rest.reasoning, all.text + rest.text};
}

std::string StopAtOnce(const TextStreamOptions& options, const std::string& text) {
  StopMatcher matcher(options.stop, options.include_stop);
  const std::string all = matcher.Push(text);
  return all + matcher.Finish();
}

void Check(std::span<const uint8_t> data) {
  static const Tokenizer tokenizer = Tokenizer::Parse(TinyTokenizerFiles(), "").value();
  static const std::vector<std::vector<std::string>> kStops = {
      {}, {"STOP"}, {"\n\n", "</think>\n"}, {"好"}, {"aab", "ab", "b"}, {"k>a"}};
  if (data.size() < 2) return;
  TextStreamOptions options;
  options.stop = kStops[data[0] % kStops.size()];
  options.reasoning = static_cast<ReasoningMode>(data[1] % 3);
  options.include_stop = data[1] / 3 % 2 == 1;
  options.inline_reasoning = data[1] / 6 % 2 == 1;
  options.skip_special = false;
  std::vector<int32_t> ids;
  for (const uint8_t byte : data.subspan(2)) {
    // The upper half reaches the control tokens and pieces, and ids that stand for nothing.
    ids.push_back(byte < 128 ? kTinyFirstByte + byte : 130 + byte);
  }
  const Fed fed = Feed(tokenizer, options, ids);
  const std::string raw = StopAtOnce(options, tokenizer.Decode(ids, false));
  FATHOM_CHECK(fed.raw == raw);
  if (options.inline_reasoning) {
    const bool opened = options.reasoning == ReasoningMode::kOpened;
    FATHOM_CHECK(fed.all.reasoning.empty() && fed.all.text == (opened ? "<think>\n" : "") + raw);
    return;
  }
  const ReplyDelta whole = SplitAtOnce(options.reasoning, raw);
  FATHOM_CHECK(fed.all.reasoning == whole.reasoning && fed.all.text == whole.text);
}

}  // namespace
}  // namespace fathom

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fathom::Check({data, size});
  return 0;
}
