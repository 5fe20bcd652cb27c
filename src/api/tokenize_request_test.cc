#include "api/tokenize_request.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "base/json.h"
#include "base/result.h"
#include "text/chat_template.h"
#include "text/golden_testing.h"
#include "text/text_assets.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

TextAssets TinyAssets() {
  Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  Result<ChatTemplate> chat_template = ChatTemplate::Parse(*tokenizer.chat_template());
  return {std::move(tokenizer), std::move(chat_template)};
}

// What Jinja2 renders published templates to.
TEST(TokenizeRequest, HandsToolsToTheTemplate) {
  for (const ToolsRendering& expected : ReadToolsRenderings()) {
    SCOPED_TRACE(expected.name);
    const std::string file =
        GoldenTokenizerFolder() + "/templates/" + expected.chat_template + ".jinja";
    const TextAssets assets = {ParseOrDie(TinyTokenizerFiles()),
                               ChatTemplate::Parse({ReadTestFile(file), file})};
    const Json body =
        Json::MakeObject({{"messages", expected.messages}, {"tools", expected.tools}});
    const auto request = ParseTokenizeRequest(body.Dump());
    ASSERT_TRUE(request.ok()) << request.error().ToString();
    const auto ids = Tokenize(assets, *request, "2026-01-02");
    ASSERT_TRUE(ids.ok()) << ids.error().ToString();
    const std::string rest = expected.text.substr(expected.bos.size());
    EXPECT_EQ(assets.tokenizer.Decode(*ids, false), (expected.bos.empty() ? "" : "<bos>") + rest);
  }
}

TEST(TokenizeRequest, GivesTheIdsOfTheSameCompletionOrChat) {
  const TextAssets assets = TinyAssets();
  struct Row {
    std::string body;
    std::string text;  // of the ids
  };
  const std::vector<Row> rows = {
      {R"({"prompt":"hello"})", "<bos>hello"},
      {R"({"model":"m","prompt":"hello","add_special_tokens":false})", "hello"},
      {R"({"messages":[{"role":"user","content":"hello"}]})", "<bos><user>hello<bot><think>\n"},
      {R"({"messages":[{"role":"user","content":"hello"}],"add_generation_prompt":false})",
       "<bos><user>hello"},
      {R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],
           "continue_final_message":true})",
       "<bos><user>a<bot>b"},
      {R"({"messages":[{"role":"assistant","content":"b","prefix":true}]})", "<bos><bot>b"},
  };
  for (const Row& row : rows) {
    const auto request = ParseTokenizeRequest(row.body);
    ASSERT_TRUE(request.ok()) << row.body << request.error().ToString();
    const auto ids = Tokenize(assets, *request, "2026-01-02");
    ASSERT_TRUE(ids.ok()) << row.body;
    EXPECT_EQ(assets.tokenizer.Decode(*ids, false), row.text) << row.body;
  }
}

TEST(TokenizeRequest, IsAnsweredWithCountAndIds) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  const std::vector<int32_t> ids = {kTinyBos, kTinyHello, TinyByte('\xe4')};
  TokenizeRequest request;
  EXPECT_EQ(TokenizeResponseBody(tokenizer, request, ids, 4096),
            R"({"count":3,"max_model_len":4096,"tokens":[0,262,230],"token_strs":null})");
  request.return_token_strs = true;
  EXPECT_EQ(TokenizeResponseBody(tokenizer, request, ids, 4096),
            R"({"count":3,"max_model_len":4096,"tokens":[0,262,230],"token_strs":)"
            "[\"<bos>\",\"hello\",\"\uFFFD\"]}");
}

TEST(DetokenizeRequest, IsAnsweredWithTheText) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  const auto request = ParseDetokenizeRequest(R"({"tokens":[0,262],"x":1})", {.vocab = 280});
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->unknown_fields, (std::vector<std::string>{"x"}));
  EXPECT_EQ(DetokenizeResponseBody(tokenizer, request->tokens), R"({"prompt":"<bos>hello"})");
  EXPECT_EQ(DetokenizeResponseBody(tokenizer, {}), R"({"prompt":""})");
}

TEST(TokenizeRequest, NamesWhatIsWrong) {
  const std::string fix = "; correct it and send the request again";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"{}", "prompt: expected either \"prompt\" or \"messages\", found nothing" + fix},
      {R"({"prompt":"a","messages":[{"role":"user","content":"a"}]})",
       "prompt: expected either \"prompt\" or \"messages\", found string \"a\"" + fix},
      {R"({"prompt":["a"]})", "prompt: expected a text, found array [\"a\"]" + fix},
      {R"({"messages":[{"role":"user","content":"a"}],"tools":{}})",
       "tools: expected a list of tools, found object {}" + fix},
      {R"({"messages":[{"role":"user","content":"a"}],"tools":[{}]})",
       "tools[0]: key \"function\" is missing" + fix},
      {R"({"prompt":"a","tools":[{"function":{"name":"f"}}]})",
       "tools: expected \"messages\" beside them, found array [{\"function\":{\"name\":\"f\"}}]" +
           fix},
      {R"({"messages":[]})", "messages: expected at least one message, found array []" + fix},
      {R"({"prompt":"a","return_token_strs":1})",
       "return_token_strs: expected true or false, found integer 1" + fix},
      {R"({"messages":[{"role":"user","content":"a"}],"continue_final_message":true})",
       "continue_final_message: expected a last message of the assistant, with text, found bool "
       "true" +
           fix},
      {R"({"prompt":"a","continue_final_message":true})",
       "continue_final_message: expected a last message of the assistant, with text, found bool "
       "true" +
           fix},
  };
  for (const auto& [body, message] : rows) {
    const auto request = ParseTokenizeRequest(body);
    ASSERT_FALSE(request.ok()) << body;
    EXPECT_EQ(FromError(request.error()).message, message);
  }
  const std::vector<std::pair<std::string, std::string>> ids = {
      {"{}", "tokens: expected a list of token ids, found nothing" + fix},
      {R"({"tokens":"a"})", "tokens: expected a list of token ids, found string \"a\"" + fix},
      {R"({"tokens":[1,280]})",
       "tokens[1]: expected a token id from 0 to 279, found integer 280" + fix},
      {R"({"tokens":[-1]})",
       "tokens[0]: expected a token id from 0 to 279, found integer -1" + fix},
  };
  for (const auto& [body, message] : ids) {
    const auto request = ParseDetokenizeRequest(body, {.vocab = 280});
    ASSERT_FALSE(request.ok()) << body;
    EXPECT_EQ(FromError(request.error()).message, message);
  }
}

}  // namespace
}  // namespace fathom
