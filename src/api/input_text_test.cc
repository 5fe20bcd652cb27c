#include "api/input_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace fathom {
namespace {

TEST(ParseIds, ReadsIdsBetweenCommas) {
  EXPECT_EQ(ParseIds("--ids", "7").value(), std::vector<int32_t>({7}));
  EXPECT_EQ(ParseIds("--ids", "0, 17 ,2147483647").value(),
            std::vector<int32_t>({0, 17, 2147483647}));
}

TEST(ParseIds, NamesTheWordThatIsNoId) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "--ids: '' is not a token id"},
      {"1,,2", "--ids: '' is not a token id"},
      {"1,2,", "--ids: '' is not a token id"},
      {"-1", "--ids: '-1' is not a token id"},
      {"1 2", "--ids: '1 2' is not a token id"},
      {"1.5", "--ids: '1.5' is not a token id"},
      {"2147483648", "--ids: '2147483648' is not a token id"},
      {"a,b", "--ids: 'a' is not a token id"},
  };
  for (const auto& [text, what] : rows) EXPECT_EQ(ParseIds("--ids", text).error().what, what);
}

TEST(ParseLogitBias, ReadsAnIdAndANumber) {
  EXPECT_EQ(ParseLogitBias("--logit-bias", "42:-100").value(),
            (std::pair<int32_t, double>(42, -100)));
  EXPECT_EQ(ParseLogitBias("--logit-bias", "0:0.5").value(), (std::pair<int32_t, double>(0, 0.5)));
  for (const char* bad : {"", "42", ":1", "42:", "a:1", "-1:1", "1:x", "1:nan", "1:inf", "1:2:3"}) {
    EXPECT_EQ(ParseLogitBias("--logit-bias", bad).error().what,
              "--logit-bias: '" + std::string(bad) + "' is not ID:BIAS");
  }
}

TEST(ParseConversation, ReadsAListOrAnObject) {
  const Json list = ParseJson(R"([{"role":"user","content":"a"}])", "f").value();
  const Conversation plain = ParseConversation(JsonReader(list, "f")).value();
  EXPECT_EQ(plain.messages, list);
  EXPECT_TRUE(plain.tools.is_null());
  const Json object =
      ParseJson(R"({"messages":[{"role":"user","content":"a"}],"tools":[{"type":"function"}]})",
                "f")
          .value();
  const Conversation with_tools = ParseConversation(JsonReader(object, "f")).value();
  EXPECT_EQ(with_tools.messages, list);
  EXPECT_EQ(with_tools.tools.as_array().size(), 1u);
}

TEST(ParseConversation, KnowsTheRolesOfTheProtocol) {
  const Json json =
      ParseJson(R"([{"role":"system","content":"a"},{"role":"developer","content":"a"},
      {"role":"user","content":"a"},{"role":"assistant","content":"a"},
      {"role":"tool","content":"a"}])",
                "f")
          .value();
  EXPECT_TRUE(ParseConversation(JsonReader(json, "f")).ok());
}

TEST(ParseTemplateArguments, RefusesTheNamesThatWouldReplaceTheConversation) {
  EXPECT_EQ(ParseTemplateArguments("--f", R"({"thinking": true})")->Dump(), R"({"thinking":true})");
  for (const std::string name : {"messages", "tools", "add_generation_prompt"}) {
    EXPECT_EQ(
        ParseTemplateArguments("--f", "{\"a\": 1, \"" + name + "\": null}").error().ToString(),
        "error: \"" + name +
            "\" is not a variable to give: the template has its own\n"
            "  where: --f\n  fix: leave it out\n");
  }
}

TEST(ParseConversation, AMessageThatCallsToolsNeedsNoText) {
  for (const char* text : {R"([{"role":"assistant","tool_calls":[{}]}])",
                           R"([{"role":"assistant","content":null,"tool_calls":[{}]}])"}) {
    const Json json = ParseJson(text, "f").value();
    EXPECT_TRUE(ParseConversation(JsonReader(json, "f")).ok()) << text;
  }
}

TEST(ParseConversation, NamesThePlaceOfWhatIsWrong) {
  const std::string content_fix =
      "  fix: give the content as one string; only a message with \"tool_calls\" may have none\n";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"1", "expected a list of messages, or an object with \"messages\", found integer 1"},
      {"[]", "expected at least one message"},
      {"[1]", "expected a message (an object), found integer 1"},
      {"[{}]", "role"},
      {"[{\"role\":1}]", "expected"},
      {R"([{"role":"user","content":"a"},{"role":"asistant","content":"b"}])",
       "error: expected one of system, developer, user, assistant, tool, found string "
       "\"asistant\"\n  where: f: /1/role\n  fix: correct it there\n"},
      {R"({"messages":[{"role":"User","content":"a"}]})", "  where: f: /messages/0/role\n"},
      {R"([{"role":"user","content":"a"},{"role":"user","content":null}])",
       "error: expected text, found null\n  where: f: /1/content\n" + content_fix},
      {R"([{"role":"user","content":7}])",
       "error: expected text, found integer 7\n  where: f: /0/content\n" + content_fix},
      {R"([{"role":"user","content":[{"type":"text"}]}])",
       "error: expected text, found array [{\"type\":\"text\"}]\n  where: f: /0/content\n" +
           content_fix},
      {R"([{"role":"user"}])",
       "error: expected text, found nothing\n  where: f: /0/content\n" + content_fix},
      {R"({"messages":[{"role":"user","content":{}}]})",
       "error: expected text, found object {}\n  where: f: /messages/0/content\n" + content_fix},
      {"{}", "messages"},
      {"{\"messages\":[],\"tool\":[]}", "unknown member 'tool'"},
      {"{\"messages\":1}", "expected"},
      {"{\"messages\":[{\"role\":\"user\",\"content\":\"\"}],\"tools\":1}", "expected"},
  };
  for (const auto& [text, what] : rows) {
    const Json json = ParseJson(text, "f").value();
    const auto result = ParseConversation(JsonReader(json, "f"));
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_NE(result.error().ToString().find(what), std::string::npos) << result.error().ToString();
  }
}

}  // namespace
}  // namespace fathom
