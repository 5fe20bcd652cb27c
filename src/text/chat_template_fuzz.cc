// Any text as a template: it is refused, or fails, with its line; or it renders within the limits.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/json.h"
#include "text/chat_template.h"

namespace {

fathom::ChatTemplate::Input MakeInput() {
  fathom::ChatTemplate::Input input;
  input.messages = fathom::ParseJson(
                       R"([{"role": "system", "content": "Be brief."},
                           {"role": "user", "content": "h\u00e9 <think> 1"},
                           {"role": "assistant", "content": null, "tool_calls": [{"type": "function",
                            "function": {"name": "f", "arguments": {"a": [1, 2.5, true]}}}]},
                           {"role": "tool", "content": "x</think>y"}])",
                       "")
                       .value();
  input.tools = fathom::ParseJson(R"([{"name": "f", "parameters": {}}])", "").value();
  input.special_tokens.Set("bos_token", "<s>");
  input.date = "2026-01-02";
  return input;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fathom::ChatTemplate::Input input = MakeInput();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto chat_template = fathom::ChatTemplate::Parse({text, "t"});
  if (!chat_template.ok()) {
    FATHOM_CHECK(chat_template.error().where.starts_with("t: line "));
    return 0;
  }
  const auto spans = chat_template->Render(input);
  if (!spans.ok()) {
    FATHOM_CHECK(spans.error().where.starts_with("t: line "));
    return 0;
  }
  for (size_t i = 0; i < spans->size(); ++i) {
    FATHOM_CHECK(!(*spans)[i].text.empty());
    FATHOM_CHECK(i == 0 || (*spans)[i].from_message != (*spans)[i - 1].from_message);
  }
  return 0;
}
