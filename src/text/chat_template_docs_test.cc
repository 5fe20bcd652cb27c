// docs/formats/chat-template.md against the code: of all names that Jinja2 and Python have, those
// it lists are supported and no others are.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "text/chat_template.h"
#include "text/golden_testing.h"
#include "text/jinja_filters.h"
#include "text/jinja_methods.h"
#include "text/jinja_predicates.h"
#include "text/jinja_value.h"

namespace fathom {
namespace {

using Names = std::set<std::string>;
using Supports = std::function<bool(const std::string& name)>;

// The names in the table's row "| kind | `a` `b` |".
Names Listed(std::string_view kind) {
  const std::string text = ReadTestFile("docs/formats/chat-template.md");
  const std::string begin = "\n| " + std::string(kind) + " | ";
  const size_t at = text.find(begin);
  if (at == std::string::npos) return {};
  const std::string row =
      text.substr(at + begin.size(), text.find('\n', at + 1) - at - begin.size());
  Names names;
  for (size_t open = row.find('`'); open != std::string::npos;) {
    const size_t close = row.find('`', open + 1);
    names.insert(row.substr(open + 1, close - open - 1));
    open = row.find('`', close + 1);
  }
  return names;
}

Names Supported(const char* kind, const Supports& supports) {
  const Json vectors = ReadVectors("jinja_vectors.json");
  Names names;
  for (const Json& name : vectors.Find("names")->Find(kind)->as_array()) {
    if (supports(name.as_string())) names.insert(name.as_string());
  }
  return names;
}

bool IsTag(const std::string& name) {
  const auto parsed = ChatTemplate::Parse({"{% " + name + " %}", "t"});
  return parsed.ok() || parsed.error().what != "tag \"" + name + "\" is not supported";
}

bool IsFunction(const std::string& name) {
  ChatTemplate::Input input;
  input.messages = Json::MakeArray();
  return JoinSpans(*ChatTemplate::Parse({"{{ " + name + " is callable }}", "t"})->Render(input)) ==
         "True";
}

Supports MethodOf(const jinja::Value& object) {
  return [object](const std::string& name) {
    const auto method = jinja::BoundMethod(object, name);
    return method.ok() && method->has_value() && (*method)->method() != nullptr;
  };
}

TEST(ChatTemplateDocs, ListWhatIsSupportedAndNothingElse) {
  using jinja::Value;
  const std::pair<const char*, Supports> rows[] = {
      {"tags", IsTag},
      {"filters", [](const std::string& name) { return jinja::FindFilter(name) != nullptr; }},
      {"tests", [](const std::string& name) { return jinja::FindPredicate(name) != nullptr; }},
      {"functions", IsFunction},
      {"str", MethodOf(Value::String("a"))},
      {"dict", MethodOf(Value::Dict({}).value())},
      {"list", MethodOf(Value::List({}).value())},
  };
  for (const auto& [kind, supports] : rows) {
    EXPECT_GE(Listed(kind).size(), 2U) << kind;
    EXPECT_EQ(Listed(kind), Supported(kind, supports)) << kind;
  }
}

}  // namespace
}  // namespace fathom
