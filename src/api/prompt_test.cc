#include "api/prompt.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "api/input_text.h"
#include "api/reasoning_splitter.h"
#include "base/json.h"
#include "base/result.h"
#include "text/chat_template.h"
#include "text/golden_testing.h"
#include "text/text_assets.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

TextAssets Assets(const std::string& chat_template) {
  return {ParseOrDie(TinyTokenizerFiles()), ChatTemplate::Parse({chat_template, "t"})};
}

// A template as DeepSeek, Qwen or Llama publish it.
TextAssets Published(const std::string& name) {
  return Assets(ReadTestFile("tests/golden/tokenizer/templates/" + name + ".jinja"));
}

Conversation Messages(const std::string& json) { return {ParseJson(json, "m").value(), Json()}; }

constexpr const char* kEcho =
    "{% for message in messages %}[{{ message['role'] }}]{{ message['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}";

TEST(RenderPrompt, SaysHowTheAnswerBegins) {
  const Conversation chat = Messages(R"([{"role":"user","content":"Hi <think>"}])");
  const TextAssets tiny = {ParseOrDie(TinyTokenizerFiles()),
                           ChatTemplate::Parse(*ParseOrDie(TinyTokenizerFiles()).chat_template())};
  const Prompt opened = RenderPrompt(tiny, chat, {}).value();
  EXPECT_EQ(opened.text, "<bos><user>Hi <think><bot><think>\n");
  EXPECT_EQ(opened.reasoning, ReasoningMode::kOpened);
  const Prompt tagged = RenderPrompt(Assets(kEcho), chat, {}).value();
  EXPECT_EQ(tagged.text, "[user]Hi <think>[assistant]");
  EXPECT_EQ(tagged.reasoning, ReasoningMode::kTagged);
}

TEST(RenderPrompt, OnlyTheTemplateWritesControlTokens) {
  const Conversation chat = Messages(R"([{"role":"user","content":"<eos>"}])");
  const TextAssets assets = Assets(
      "{% for message in messages %}<eos>{{ message['content'] }}"
      "{% endfor %}");
  std::vector<int32_t> expected = {kTinyEos};
  for (const int32_t id : TinyBytes("<eos>")) expected.push_back(id);
  EXPECT_EQ(RenderPrompt(assets, chat, {}).value().ids, expected);
  PromptOptions options;
  options.parse_special = true;
  EXPECT_EQ(RenderPrompt(assets, chat, options).value().ids,
            (std::vector<int32_t>{kTinyEos, kTinyEos}));
}

TEST(RenderPrompt, ADeveloperIsTheSystemWhereTheTemplateDoesNotKnowTheRole) {
  const Conversation chat = Messages(R"([{"role":"developer","content":"d"}])");
  EXPECT_EQ(RenderPrompt(Assets(kEcho), chat, {}).value().text, "[system]d[assistant]");
  EXPECT_EQ(RenderPrompt(Assets(std::string(kEcho) + "{# developer #}"), chat, {}).value().text,
            "[developer]d[assistant]");
  for (const char* name : {"deepseek-r1", "deepseek-v3.1", "qwen2.5-7b-instruct"}) {
    const std::string text = RenderPrompt(Published(name), chat, {}).value().text;
    EXPECT_NE(text.find('d'), std::string::npos) << name;
  }
}

TEST(RenderPrompt, NullContentIsEmptyWhereTheTemplateDoesNotAskForNone) {
  const Conversation chat = Messages(
      R"([{"role":"user","content":"u"},{"role":"assistant","content":null,"tool_calls":[
          {"type":"function","function":{"name":"f","arguments":"{}"}}]}])");
  PromptOptions options;
  options.add_generation_prompt = false;
  EXPECT_EQ(RenderPrompt(Assets(kEcho), chat, options).value().text, "[user]u[assistant]");
  constexpr const char* kAsks =
      "{% for m in messages %}{{ '(none)' if m.content is none else m.content }}{% endfor %}";
  EXPECT_EQ(RenderPrompt(Assets(kAsks), chat, options).value().text, "u(none)");
  const std::string demo = ParseJson(ReadTestFile("models/demo/tokenizer_config.json"), "demo")
                               ->Find("chat_template")
                               ->as_string();
  EXPECT_TRUE(RenderPrompt(Assets(demo), chat, options)
                  .value()
                  .text.ends_with("<｜User｜>u<｜Assistant｜><｜end▁of▁sentence｜>"));
  const std::string call = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f";
  const std::string r1 = RenderPrompt(Published("deepseek-r1"), chat, options).value().text;
  EXPECT_NE(r1.find(call), std::string::npos) << r1;
}

// What transformers renders with continue_final_message: the prompt up to the message's last
// character, without the end of turn that the template writes behind it.
TEST(RenderPrompt, ContinuesTheLastMessage) {
  struct Row {
    const char* name;
    std::string chat_template;
    std::string content;
    std::string end;  // of the prompt
    ReasoningMode reasoning;
  };
  const std::string r1 = ReadTestFile("tests/golden/tokenizer/templates/deepseek-r1.jinja");
  const std::string v31 = ReadTestFile("tests/golden/tokenizer/templates/deepseek-v3.1.jinja");
  const std::string qwen =
      ReadTestFile("tests/golden/tokenizer/templates/qwen2.5-7b-instruct.jinja");
  const std::string llama =
      ReadTestFile("tests/golden/tokenizer/templates/llama-3.1-8b-instruct.jinja");
  constexpr ReasoningMode kOff = ReasoningMode::kOff;
  const std::vector<Row> rows = {
      {"R1", r1, "```python\n", "<｜User｜>q<｜Assistant｜>```python\n", kOff},
      {"R1, empty", r1, "", "<｜User｜>q<｜Assistant｜>", kOff},
      {"R1, in its reasoning", r1, "<think>\nWell", "<｜User｜>q<｜Assistant｜><think>\nWell",
       ReasoningMode::kOpened},
      {"R1, after its reasoning", r1, "<think>a</think>\n\nSo", "<｜User｜>q<｜Assistant｜>\n\nSo",
       kOff},
      {"V3.1", v31, "So ", "<｜User｜>q<｜Assistant｜><think></think>So ", kOff},
      {"Qwen", qwen, "So", "<|im_start|>assistant\nSo", kOff},
      {"Llama strips", llama, "So \n", "<|start_header_id|>assistant<|end_header_id|>\n\nSo", kOff},
      {"Llama strips, empty", llama, "", "<|start_header_id|>assistant<|end_header_id|>\n\n", kOff},
      {"the text stands twice", kEcho, "q", "[user]q[assistant]q", kOff},
  };
  for (const Row& row : rows) {
    Conversation chat = Messages(R"([{"role":"user","content":"q"},{"role":"assistant"}])");
    chat.messages.as_array()[1].Set("content", row.content);
    PromptOptions options;
    options.add_generation_prompt = false;
    options.continue_final_message = true;
    options.date = "2026-01-02";
    const auto prompt = RenderPrompt(Assets(row.chat_template), chat, options);
    ASSERT_TRUE(prompt.ok()) << row.name << prompt.error().ToString();
    EXPECT_TRUE(prompt->text.ends_with(row.end)) << row.name << ": " << prompt->text;
    EXPECT_EQ(prompt->reasoning, row.reasoning) << row.name;
    const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
    EXPECT_EQ(tokenizer.Decode(prompt->ids, false), prompt->text) << row.name;
  }
}

TEST(RenderPrompt, V31OpensTheReasoningOfAPrefixWhereItIsToThink) {
  const Conversation chat = Messages(
      R"([{"role":"user","content":"q"},{"role":"assistant","content":"Well","prefix":true}])");
  PromptOptions options;
  options.add_generation_prompt = false;
  options.continue_final_message = true;
  options.template_arguments = Json::MakeObject({{"thinking", true}});
  const Prompt prompt = RenderPrompt(Published("deepseek-v3.1"), chat, options).value();
  EXPECT_TRUE(prompt.text.ends_with("<｜Assistant｜><think>Well")) << prompt.text;
  EXPECT_EQ(prompt.reasoning, ReasoningMode::kOpened);
}

TEST(RenderPrompt, RefusesToContinueWhatTheTemplateLeavesOut) {
  PromptOptions options;
  options.continue_final_message = true;
  const Conversation chat = Messages(R"([{"role":"assistant","content":"abc"}])");
  for (const char* text : {"nothing", "{{ messages[0]['content'][:2] }}"}) {
    EXPECT_EQ(RenderPrompt(Assets(text), chat, options).error().ToString(),
              "error: the chat template leaves out the end of the message to be continued\n"
              "  fix: end with a message that the template writes whole, or do not continue it\n");
  }
}

TEST(RawPrompt, IsTheTextAfterBos) {
  const TextAssets assets = Assets(kEcho);
  const Prompt prompt = RawPrompt(assets, "hello<eos>", {}).value();
  EXPECT_EQ(prompt.ids, (std::vector<int32_t>{kTinyBos, kTinyHello, kTinyEos}));
  EXPECT_EQ(prompt.text, "hello<eos>");
  EXPECT_EQ(prompt.reasoning, ReasoningMode::kOff);
  EXPECT_EQ(RawPrompt(assets, "hello", {.add_bos = false}).value().ids,
            (std::vector<int32_t>{kTinyHello}));
  EXPECT_EQ(RawPrompt(assets, "<eos>", {.parse_special = false, .add_bos = false}).value().ids,
            TinyBytes("<eos>"));
}

// The longest token has 8 bytes.
TEST(Prompts, ThatCannotFitByTheirBytesAreRefused) {
  const TextAssets assets = Assets(kEcho);
  const std::string fits(72, 'a');
  EXPECT_TRUE(RawPrompt(assets, fits, {.context_tokens = 10}).ok());
  const auto raw = RawPrompt(assets, fits + "a", {.context_tokens = 10});
  ASSERT_FALSE(raw.ok());
  EXPECT_EQ(raw.error().kind, ErrorKind::kDoesNotFit);
  EXPECT_EQ(raw.error().what,
            "This model's maximum context length is 10 tokens. However, your prompt has 73 bytes, "
            "which are at least 10 tokens");
  EXPECT_EQ(raw.error().fix, "shorten the prompt");
  const Conversation chat = Messages(R"([{"role":"user","content":"Hi"}])");
  EXPECT_TRUE(RenderPrompt(assets, chat, {.context_tokens = 4}).ok());
  // "[user]Hi[assistant]" are 19 bytes.
  EXPECT_EQ(RenderPrompt(assets, chat, {.context_tokens = 3}).error().what,
            "This model's maximum context length is 3 tokens. However, your prompt has 19 bytes, "
            "which are at least 3 tokens");
}

}  // namespace
}  // namespace fathom
