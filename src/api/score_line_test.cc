#include "api/score_line.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/input_text.h"
#include "base/result.h"

namespace fathom {
namespace {

Result<ScoreLine> Parse(const std::string& text) { return ParseScoreLine(text, "f: line 3", 10); }

TEST(ScoreLine, HoldsIdsATextOrMessages) {
  const auto ids = Parse(R"({"id":"a.b-c_1","ids":[0,9]})").value();
  EXPECT_EQ(ids.id, "a.b-c_1");
  EXPECT_EQ(std::get<std::vector<int32_t>>(ids.input), (std::vector<int32_t>{0, 9}));
  EXPECT_EQ(std::get<std::string>(Parse(R"({"text":"x","id":"a"})")->input), "x");
  const auto messages =
      Parse(R"({"id":"a","messages":[{"role":"user","content":"b"}],"tools":[{}]})").value();
  const auto& conversation = std::get<Conversation>(messages.input);
  EXPECT_EQ(conversation.messages.as_array().size(), 1U);
  EXPECT_EQ(conversation.tools.as_array().size(), 1U);
}

TEST(ScoreLine, NamesWhatIsWrongAndWhere) {
  const std::pair<const char*, const char*> rows[] = {
      {"[]", "expected an object, found array"},
      {"{", "not valid JSON"},
      {R"({"ids":[1]})", "key \"id\" is missing"},
      {R"({"id":"a/b","ids":[1]})", "expected a name of 1 to 200 letters"},
      {R"({"id":"..","ids":[1]})", "expected a name of 1 to 200 letters"},
      {R"({"id":"a","ids":[10]})", "expected a token id from 0 to 9, found integer 10"},
      {R"({"id":"a","ids":[-1]})", "expected a token id from 0 to 9, found integer -1"},
      {R"({"id":"a"})", "expected exactly one of \"ids\", \"text\" and \"messages\", found 0"},
      {R"({"id":"a","ids":[1],"text":"b"})", "found 2"},
      {R"({"id":"a","text":"b","tools":[]})", "\"tools\" needs \"messages\""},
      {R"({"id":"a","text":"b","x":1})", "unknown member 'x'"},
      {R"({"id":"a","messages":[]})", "expected at least one message"},
  };
  for (const auto& [text, what] : rows) {
    const auto line = Parse(text);
    ASSERT_FALSE(line.ok()) << text;
    EXPECT_NE(line.error().what.find(what), std::string::npos) << line.error().what;
    EXPECT_TRUE(line.error().where.starts_with("f: line 3")) << line.error().where;
    EXPECT_EQ(line.error().kind, ErrorKind::kBadInput);
  }
}

}  // namespace
}  // namespace fathom
