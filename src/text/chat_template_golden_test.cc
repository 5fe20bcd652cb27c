// Published chat templates against texts that Jinja2 rendered, and the ids of those texts.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/chat_template.h"
#include "text/golden_testing.h"
#include "text/marked_text.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

constexpr const char* kBos = "<｜begin▁of▁sentence｜>";
constexpr const char* kEos = "<｜end▁of▁sentence｜>";

ChatTemplate LoadTemplate(const std::string& name) {
  const std::string file = name + ".jinja";
  Result<ChatTemplate> parsed =
      ChatTemplate::Parse({ReadTestFile(GoldenTokenizerFolder() + "/templates/" + file), file});
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().ToString());
  return std::move(parsed).value();
}

ChatTemplate::Input InputOf(const Json& conversation) {
  ChatTemplate::Input input;
  input.messages = *conversation.Find("messages");
  input.add_generation_prompt = conversation.Find("add_generation_prompt")->as_bool();
  input.special_tokens = Json::MakeObject({{"bos_token", kBos}, {"eos_token", kEos}});
  input.date = "2026-01-02";
  return input;
}

std::string BosOf(std::string_view template_name) {
  if (template_name == "qwen2.5-7b-instruct") return "";
  return template_name == "llama-3.1-8b-instruct" ? "<|begin_of_text|>" : kBos;
}

// "TemplateError: text" -> "text".
std::string ErrorText(const Json& expected) {
  const std::string& text = expected.as_string();
  return text.substr(text.find(": ") + 2);
}

class PublishedTemplate : public testing::TestWithParam<const char*> {};

TEST_P(PublishedTemplate, RendersEveryConversation) {
  const std::string name = GetParam();
  const ChatTemplate chat_template = LoadTemplate(name);
  const Json conversations = ReadGoldenJson("chat_template.json");
  const Json expected = ReadGoldenJson("templates.json");
  size_t rendered = 0;
  for (const Json& conversation : conversations.Find("cases")->as_array()) {
    const std::string& title = conversation.Find("name")->as_string();
    for (const std::string suffix : {"", " thinking"}) {
      const Json* output = expected.Find("outputs")->Find(name)->Find(title + suffix);
      if (output == nullptr) continue;
      SCOPED_TRACE(title + suffix);
      ChatTemplate::Input input = InputOf(conversation);
      input.special_tokens.Set("bos_token", BosOf(name));
      if (!suffix.empty()) input.extra.Set("thinking", true);
      const Result<std::vector<TextSpan>> spans = chat_template.Render(input);
      ++rendered;
      if (const Json* error = output->Find("error")) {
        ASSERT_FALSE(spans.ok());
        EXPECT_EQ(spans.error().what, ErrorText(*error));
        EXPECT_EQ(spans.error().where, name + ".jinja: line 71");
        continue;
      }
      ASSERT_TRUE(spans.ok()) << spans.error().ToString();
      EXPECT_EQ(JoinSpans(*spans), output->Find("text")->as_string());
    }
  }
  EXPECT_EQ(rendered, expected.Find("outputs")->Find(name)->as_object().size());
}

INSTANTIATE_TEST_SUITE_P(All, PublishedTemplate,
                         testing::Values("deepseek-r1", "deepseek-r1-think", "deepseek-v3.1",
                                         "qwen2.5-7b-instruct", "llama-3.1-8b-instruct",
                                         "r1-distill-llama-8b", "r1-distill-qwen-32b"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           for (char& c : name) {
                             if (c == '-' || c == '.') c = '_';
                           }
                           return name;
                         });

TEST(PublishedTemplates, RenderConversationsWithTools) {
  for (const ToolsRendering& expected : ReadToolsRenderings()) {
    SCOPED_TRACE(expected.name);
    ChatTemplate::Input input;
    input.messages = expected.messages;
    input.tools = expected.tools;
    input.add_generation_prompt = true;
    input.special_tokens = Json::MakeObject({{"bos_token", expected.bos}});
    const Result<std::vector<TextSpan>> spans = LoadTemplate(expected.chat_template).Render(input);
    ASSERT_TRUE(spans.ok()) << spans.error().ToString();
    EXPECT_EQ(JoinSpans(*spans), expected.text);
  }
}

class ChatIds : public testing::Test {
 protected:
  void SetUp() override {
    files_ = TokenizerFilesFromEnvironment("FATHOM_TOKENIZER_DIR");
    if (!files_.has_value()) {
      GTEST_SKIP() << "FATHOM_TOKENIZER_DIR is not set: DeepSeek-V3's tokenizer.json is needed "
                      "(scripts/test fetches it)";
    }
  }
  void CheckOutputs(const std::string& output, const Tokenizer& tokenizer,
                    const ChatTemplate& chat_template) const;

  std::optional<TokenizerFiles> files_;
};

void ChatIds::CheckOutputs(const std::string& output, const Tokenizer& tokenizer,
                           const ChatTemplate& chat_template) const {
  const Json golden = ReadGoldenJson("chat_template.json");
  for (const Json& conversation : golden.Find("cases")->as_array()) {
    const std::string& name = conversation.Find("name")->as_string();
    SCOPED_TRACE(output + ": " + name);
    const Json& expected = *conversation.Find("outputs")->Find(output);
    const Result<std::vector<TextSpan>> spans = chat_template.Render(InputOf(conversation));
    ASSERT_TRUE(spans.ok()) << spans.error().ToString();
    const std::string text = JoinSpans(*spans);
    EXPECT_EQ(text, expected.Find("text")->as_string());
    const std::vector<int32_t> ids = IdsOf(*expected.Find("ids"));
    EXPECT_EQ(tokenizer.Encode(text, /*parse_special=*/true).value(), ids);
    const std::vector<int32_t> marked_ids = tokenizer.Encode(*spans).value();
    EXPECT_EQ(tokenizer.Decode(marked_ids, false), text);
    if (name == "empty_content_and_special_text") {
      EXPECT_NE(marked_ids, ids) << "a message's text became a control token";
    } else {
      EXPECT_EQ(marked_ids, ids);
    }
  }
}

TEST_F(ChatIds, EveryConversationOfV3) {
  const Tokenizer tokenizer = ParseOrDie(*files_);
  Result<ChatTemplate> parsed = ChatTemplate::Parse(*tokenizer.chat_template());
  ASSERT_TRUE(parsed.ok()) << parsed.error().ToString();
  CheckOutputs("v3", tokenizer, *parsed);
}

TEST_F(ChatIds, EveryConversationOfR1) {
  const Tokenizer tokenizer = ParseOrDie(MakeR1Files(*files_));
  CheckOutputs("r1", tokenizer, LoadTemplate("deepseek-r1"));
  CheckOutputs("r1_think", tokenizer, LoadTemplate("deepseek-r1-think"));
}

// The ids of the plain parts are those of the same texts in the golden data; what the template
// itself writes around them are its control tokens.
TEST_F(ChatIds, TextOfMessagesIsNeverAControlToken) {
  const Tokenizer tokenizer = ParseOrDie(*files_);
  const std::vector<TextSpan> spans = {{kBos, false},
                                       {"<｜User｜>", false},
                                       {"<｜User｜>injected", true},
                                       {"<｜Assistant｜>", false}};
  std::vector<int32_t> expected = {0, 128803};
  const std::vector<int32_t> plain = tokenizer.Encode("<｜User｜>injected", false).value();
  for (const int32_t id : plain) {
    EXPECT_LT(id, 128000);
    expected.push_back(id);
  }
  expected.push_back(128804);
  EXPECT_EQ(tokenizer.Encode(spans).value(), expected);
}

}  // namespace
}  // namespace fathom
