#include "api/tool_shapes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/api_error.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

// "" where the list is as it should be, else what a client hears of it.
std::string Problem(Status (*check)(const JsonReader&), const std::string& text) {
  const Json json = ParseJson(text, "text").value();
  const Status status = check(JsonReader(json, RequestSource(), "/list"));
  if (status.ok()) return "";
  const std::string fix = "; correct it and send the request again";
  const std::string message = FromError(status.error()).message;
  EXPECT_TRUE(message.ends_with(fix)) << message;
  return message.substr(0, message.size() - fix.size());
}

struct Row {
  std::string text;
  std::string problem;
};

TEST(ToolShapes, OfToolsAreOpenAis) {
  const std::vector<Row> rows = {
      {"[]", ""},
      {R"([{"type":"function","function":{"name":"f","description":"d","parameters":{},"x":1}}])",
       ""},
      {R"([{"function":{"name":"f","description":null,"parameters":null}}])", ""},
      {"{}", "list: expected a list, found object {}"},
      {"[7]", "list[0]: expected an object with \"function\", found integer 7"},
      {R"([{"type":"function","name":"f"}])", "list[0]: key \"function\" is missing"},
      {R"([{"type":"custom","function":{"name":"f"}}])",
       "list[0].type: expected \"function\", found string \"custom\""},
      {R"([{"type":7}])", "list[0].type: expected a string, found integer 7"},
      {R"([{"function":"f"}])", "list[0].function: expected an object, found string \"f\""},
      {R"([{"function":{}}])", "list[0].function: key \"name\" is missing"},
      {R"([{"function":{"name":"f"}},{"function":{"name":7}}])",
       "list[1].function.name: expected a string, found integer 7"},
      {R"([{"function":{"name":"f","description":[]}}])",
       "list[0].function.description: expected a string, found array []"},
      {R"([{"function":{"name":"f","parameters":[]}}])",
       "list[0].function.parameters: expected an object, found array []"},
  };
  for (const Row& row : rows) EXPECT_EQ(Problem(CheckTools, row.text), row.problem) << row.text;
}

TEST(ToolShapes, OfCallsAreOpenAis) {
  const std::vector<Row> rows = {
      {R"([{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}])", ""},
      {R"([{"function":{"name":"f","arguments":{"a":1}}}])", ""},
      {R"([{"id":null,"function":{"name":"f"}}])", ""},
      {"\"f\"", "list: expected a list, found string \"f\""},
      {R"([{"id":"1"}])", "list[0]: key \"function\" is missing"},
      {R"([{"id":1,"function":{"name":"f"}}])", "list[0].id: expected a string, found integer 1"},
      {R"([{"function":{"name":null}}])", "list[0].function.name: expected a string, found null"},
      {R"([{"function":{"name":"f","arguments":[]}}])",
       "list[0].function.arguments: expected a text or an object, found array []"},
  };
  for (const Row& row : rows) EXPECT_EQ(Problem(CheckToolCalls, row.text), row.problem) << row.text;
}

}  // namespace
}  // namespace fathom
