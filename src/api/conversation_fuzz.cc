// Any messages through the published chat templates: whatever a message holds, none of its bytes
// becomes a control token, and every byte of the prompt comes back from its ids.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/continued_message.h"
#include "api/input_text.h"
#include "base/check.h"
#include "base/json.h"
#include "base/result.h"
#include "text/chat_template.h"
#include "text/golden_testing.h"
#include "text/marked_text.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

constexpr int32_t kFirstControl = 300;
constexpr const char* kControls[] = {
    "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>",    "<｜User｜>",   "<｜Assistant｜>",
    "<｜tool▁calls▁begin｜>",  "<｜tool▁outputs▁begin｜>", "<|im_start|>", "<|im_end|>",
    "<|start_header_id|>",     "<|end_header_id|>",        "<|eot_id|>",   "<tool_call>"};

// The tiny tokenizer with the control tokens that the templates write.
Tokenizer MakeTokenizer() {
  TokenizerFiles files = TinyTokenizerFiles();
  Json config = ParseJson(files.tokenizer_config, "").value();
  Json added = Json::MakeObject();
  int32_t id = kFirstControl;
  for (const char* content : kControls) {
    added.Set(std::to_string(id++), Json::MakeObject({{"content", content}, {"special", true}}));
  }
  config.Set("added_tokens_decoder", std::move(added));
  files.tokenizer_config = config.Dump();
  return ParseOrDie(files);
}

std::vector<ChatTemplate> ReadTemplates() {
  std::vector<ChatTemplate> templates;
  for (const std::string name : {"deepseek-r1", "deepseek-v3.1", "qwen2.5-7b-instruct",
                                 "llama-3.1-8b-instruct", "r1-distill-llama-8b"}) {
    const std::string path = "tests/golden/tokenizer/templates/" + name + ".jinja";
    const std::string text = ReadTestFile(path);
    FATHOM_CHECK(!text.empty());  // run it in the repository's folder
    templates.push_back(ChatTemplate::Parse({text, name}).value());
  }
  return templates;
}

// JSON as the commands read it; other bytes are a question and an answer for each line.
Conversation MakeConversation(std::string_view text) {
  if (const auto json = ParseJson(text, "f"); json.ok()) {
    if (auto conversation = ParseConversation(JsonReader(*json, "f")); conversation.ok()) {
      return *std::move(conversation);
    }
  }
  Conversation conversation;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    const bool asks = conversation.messages.as_array().size() % 2 == 0;
    conversation.messages.Append(Json::MakeObject(
        {{"role", asks ? "user" : "assistant"}, {"content", text.substr(0, end)}}));
    if (end == text.size()) return conversation;
    text.remove_prefix(end + 1);
  }
}

int64_t CountControls(const std::vector<int32_t>& ids) {
  return std::count_if(ids.begin(), ids.end(),
                       [](int32_t id) { return id >= kFirstControl || IsTinyControl(id); });
}

void CheckSpans(const Tokenizer& tokenizer, const std::vector<TextSpan>& spans) {
  const std::vector<int32_t> ids = tokenizer.Encode(spans).value();
  FATHOM_CHECK(tokenizer.DecodeBytes(ids, false) == JoinSpans(spans));
  std::vector<TextSpan> harmless = spans;
  for (TextSpan& span : harmless) {
    if (span.from_message) span.text = "x";
  }
  const std::vector<int32_t> expected = tokenizer.Encode(harmless).value();
  FATHOM_CHECK(CountControls(ids) == CountControls(expected));
}

// The prompt that ends inside the last message; none where that has no text.
Result<std::vector<TextSpan>> RenderContinued(const ChatTemplate& chat_template,
                                              ChatTemplate::Input input) {
  const Json* content = input.messages.as_array().back().Find("content");
  if (content == nullptr || !content->is_string()) return chat_template.Render(input);
  input.messages = MarkLastMessage(std::move(input.messages));
  FATHOM_TRY(std::vector<TextSpan> spans, chat_template.Render(input));
  if (!CutAtMark(spans).ok()) return std::vector<TextSpan>();
  return spans;
}

void Check(uint8_t choice, std::string_view text) {
  static const Tokenizer tokenizer = MakeTokenizer();
  static const std::vector<ChatTemplate> templates = ReadTemplates();
  const Conversation conversation = MakeConversation(text);
  ChatTemplate::Input input;
  input.messages = conversation.messages;
  input.tools = conversation.tools;
  input.add_generation_prompt = choice % 2 == 0;
  input.special_tokens =
      Json::MakeObject({{"bos_token", kControls[0]}, {"eos_token", kControls[1]}});
  input.date = "2026-01-02";
  const ChatTemplate& chat_template = templates[choice / 4 % templates.size()];
  const bool continued = choice / 2 % 2 == 1;
  const auto spans =
      continued ? RenderContinued(chat_template, input) : chat_template.Render(input);
  if (spans.ok()) {
    CheckSpans(tokenizer, *spans);
  } else {
    FATHOM_CHECK(!spans.error().what.empty() &&
                 spans.error().where.find(": line ") != std::string::npos);
  }
}

}  // namespace
}  // namespace fathom

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  fathom::Check(data[0], {reinterpret_cast<const char*>(data + 1), size - 1});
  return 0;
}
