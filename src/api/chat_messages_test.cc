#include "api/chat_messages.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

Result<ChatMessages> Read(const std::string& text) {
  const Json json = ParseJson(text, "messages").value();
  return ReadChatMessages(JsonReader(json, RequestSource(), "/messages"));
}

TEST(ChatMessages, AreHandedToTemplatesInOneForm) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"([{"role":"system","content":"s"},{"role":"user","content":"u"}])",
       R"([{"role":"system","content":"s"},{"role":"user","content":"u"}])"},
      {R"([{"content":"u","role":"user","name":"Ann"}])",
       R"([{"role":"user","content":"u","name":"Ann"}])"},
      {R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},"c"]}])",
       R"([{"role":"user","content":"a\nb\nc"}])"},
      {R"([{"role":"user","content":[]}])", R"([{"role":"user","content":""}])"},
      // openai-python's model_dump() of an answer.
      {R"([{"role":"assistant","content":"a","refusal":null,"annotations":null,"audio":null,
            "function_call":null,"tool_calls":null,"reasoning_content":"r"}])",
       R"([{"role":"assistant","content":"a"}])"},
      {R"([{"role":"assistant","content":"a","reasoning":"r","tool_calls":[]}])",
       R"([{"role":"assistant","content":"a"}])"},
      // An answer that was cut in its reasoning.
      {R"([{"role":"assistant","content":null,"reasoning_content":"r"}])",
       R"([{"role":"assistant","content":""}])"},
      {R"([{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f"}}]}])",
       R"([{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f"}}]}])"},
      {R"([{"role":"tool","tool_call_id":"1"}])",
       R"([{"role":"tool","content":"","tool_call_id":"1"}])"},
      {R"([{"role":"developer","content":"d"}])", R"([{"role":"developer","content":"d"}])"},
  };
  for (const auto& [text, messages] : rows) {
    const auto chat = Read(text);
    ASSERT_TRUE(chat.ok()) << text << chat.error().ToString();
    EXPECT_EQ(chat->messages.Dump(), messages);
    EXPECT_FALSE(chat->prefix);
  }
}

TEST(ChatMessages, TheLastMayBeAPrefix) {
  const auto chat =
      Read(R"([{"role":"user","content":"u"},{"role":"assistant","content":"a","prefix":true}])");
  EXPECT_TRUE(chat->prefix);
  EXPECT_EQ(chat->messages.as_array()[1].Dump(),
            R"({"role":"assistant","content":"a","prefix":true})")
      << "DeepSeek-V3.1's template looks at it";
}

TEST(ChatMessages, NameThePlaceOfWhatIsWrong) {
  const std::string text = "expected a text, or a list of {\"type\": \"text\", \"text\": ...}, ";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"7", "messages: expected a list of messages, found integer 7"},
      {"[]", "messages: expected at least one message, found array []"},
      {"[1]", "messages[0]: expected a message (an object), found integer 1"},
      {R"([{"content":"a"}])", "messages[0]: key \"role\" is missing"},
      {R"([{"role":"human","content":"a"}])",
       "messages[0].role: expected one of system, developer, user, assistant, tool, found string "
       "\"human\""},
      {R"([{"role":7,"content":"a"}])", "messages[0].role: expected a string, found integer 7"},
      {R"([{"role":"user"}])", "messages[0].content: " + text + "found nothing"},
      {R"([{"role":"user","content":null}])", "messages[0].content: " + text + "found null"},
      {R"([{"role":"user","content":7}])", "messages[0].content: " + text + "found integer 7"},
      {R"([{"role":"user","content":{}}])", "messages[0].content: " + text + "found object {}"},
      {R"([{"role":"user","content":"a"},{"role":"user","content":["a",7]}])",
       "messages[1].content[1]: " + text + "found integer 7"},
      {R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}])",
       "messages[0].content[0].type: expected \"text\": this server reads nothing else, found "
       "string \"image_url\""},
      {R"([{"role":"user","content":[{"type":"text"}]}])",
       "messages[0].content[0]: key \"text\" is missing"},
      {R"([{"role":"assistant","content":"a","prefix":1}])",
       "messages[0].prefix: expected true or false, found integer 1"},
      {R"([{"role":"user","content":"a","prefix":true}])",
       "messages[0].prefix: expected true in the last message only, an assistant's, found bool "
       "true"},
      {R"([{"role":"assistant","content":"a","prefix":true},{"role":"user","content":"a"}])",
       "messages[0].prefix: expected true in the last message only, an assistant's, found bool "
       "true"},
  };
  for (const auto& [messages, what] : rows) {
    const auto chat = Read(messages);
    ASSERT_FALSE(chat.ok()) << messages;
    EXPECT_EQ(FromError(chat.error()).message, what + "; correct it and send the request again");
  }
}

}  // namespace
}  // namespace fathom
