// docs/http-api.md says what the code does: its tables are those that the lists of fields give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "api/chat_request.h"
#include "api/completion_request.h"
#include "api/field_visitor.h"
#include "api/generation_options.h"
#include "api/tokenize_request.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "text/golden_testing.h"

namespace fathom {
namespace {

std::string Capitalised(std::string_view text) {
  std::string out(text);
  if (out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

// Three tables of Markdown, without those fields that `without` names.
class FieldTables : public FieldVisitor {
 public:
  explicit FieldTables(std::set<std::string, std::less<>> without = {})
      : without_(std::move(without)) {}

  void Bool(const FieldText& field, bool& value) override {
    Used(field, "true or false", value ? "true" : "false");
  }
  void Bool(const FieldText& field, std::optional<bool>& /*value*/) override {
    Used(field, "true or false", "");
  }
  void Int(const FieldText& field, int64_t& value, const IntRange& range) override {
    Used(field, range.Describe(), Format("{}", value));
  }
  void Int(const FieldText& field, std::optional<int64_t>& /*value*/,
           const IntRange& range) override {
    Used(field, range.Describe(), "");
  }
  void Number(const FieldText& field, std::optional<double>& /*value*/,
              const NumberRange& range) override {
    Used(field, range.Describe(), "");
  }
  void Text(const FieldText& field, std::string& /*value*/) override { Used(field, "a text", ""); }
  void Read(const FieldText& field, std::string_view values, const ReadField& /*read*/) override {
    Used(field, std::string(values), "");
  }
  void Ignored(const FieldText& field) override { Row(field, ignored); }
  void Refused(const FieldText& field) override { Row(field, refused); }

  std::string used = "| field | values | default | effect |\n|---|---|---|---|\n";
  std::string ignored = "| field | why it has no effect |\n|---|---|\n";
  std::string refused = "| field | what to do |\n|---|---|\n";
  std::set<std::string, std::less<>> names;

 private:
  bool IsNew(const FieldText& field) {
    EXPECT_TRUE(names.emplace(field.name).second) << field.name << " is listed twice";
    return !without_.contains(field.name);
  }
  void Used(const FieldText& field, const std::string& values, const std::string& fallback) {
    if (!IsNew(field)) return;
    used += Format("| `{}` | {} | {} | {} |\n", field.name, values, fallback, field.help);
  }
  void Row(const FieldText& field, std::string& table) {
    if (!IsNew(field)) return;
    table += Format("| `{}` | {} |\n", field.name, Capitalised(field.help));
  }

  std::set<std::string, std::less<>> without_;
};

std::string Document() { return ReadTestFile("docs/http-api.md"); }

// The tables under a heading, up to the next one: the lines that begin with "|".
std::string TablesUnder(const std::string& heading) {
  const std::string text = Document();
  const std::string line = "\n" + heading + "\n";
  const size_t at = text.find(line);
  if (at == std::string::npos) return "there is no heading: " + heading;
  const size_t begin = at + line.size();
  std::string tables;
  for (size_t from = begin; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    const std::string row = text.substr(from, end - from);
    if (row.starts_with("#")) break;
    if (row.starts_with("|")) tables += row + "\n";
    from = end + 1;
  }
  return tables;
}

FieldTables SharedTables() {
  FieldTables shared;
  GenerationOptions options;
  VisitGenerationFields(shared, options, {});
  return shared;
}

TEST(HttpApiDocs, HaveTheFieldsOfChatsAndCompletions) {
  const FieldTables shared = SharedTables();
  EXPECT_EQ(TablesUnder("### Fields of both"), shared.used);
  EXPECT_EQ(TablesUnder("### Accepted without effect"), shared.ignored);
  EXPECT_EQ(TablesUnder("### Refused"), shared.refused);
}

TEST(HttpApiDocs, HaveTheMostValuesOfABody) {
  const std::string text = Document();
  for (const std::string& words : {
           Format("A body has at most {} values", kMostValues),
           Format("have at most {} values", kMostValuesWithIds),
           Format("at most {} bytes for each value", kMostBytesOfValue),
       }) {
    EXPECT_NE(text.find(words), std::string::npos) << words;
  }
}

TEST(HttpApiDocs, HaveTheFieldsOfChats) {
  FieldTables tables(SharedTables().names);
  ListChatFields(tables);
  EXPECT_EQ(TablesUnder("### Fields of chats"), tables.used + tables.ignored + tables.refused);
}

TEST(HttpApiDocs, HaveTheFieldsOfCompletions) {
  FieldTables tables(SharedTables().names);
  ListCompletionFields(tables);
  EXPECT_EQ(TablesUnder("### Fields of completions"), tables.used + tables.refused);
}

TEST(HttpApiDocs, HaveTheFieldsOfTokenizing) {
  FieldTables tokenize;
  ListTokenizeFields(tokenize);
  EXPECT_EQ(TablesUnder("### POST /tokenize"), tokenize.used + tokenize.refused);
  FieldTables detokenize;
  ListDetokenizeFields(detokenize);
  EXPECT_EQ(TablesUnder("### POST /detokenize"), detokenize.used);
}

TEST(HttpApiDocs, HaveTheErrors) {
  const std::vector<std::string> served = {"m"};
  const std::vector<ApiError> errors = {
      FromError(BadInput("a", "", "b")),
      ContextTooLong(2, 1, ""),
      WrongKey(),
      ModelNotFound("x", served),
      PathNotFound("GET", "/", "", {}),
      MethodNotAllowed("GET", "/", "POST"),
      HttpError(400, "a"),
      HttpError(408, "a"),
      HttpError(413, "a"),
      HttpError(415, "a"),
      HttpError(417, "a"),
      HttpError(431, "a"),
      HttpError(500, "a"),
      HttpError(501, "a"),
      HttpError(503, "a"),
      HttpError(505, "a"),
      TooManyAnswers(2, 1),
      AnswerTooLarge(2, 1),
      NoRoomForAnswer(2, 3),
      QueueFull(1, 1, 1),
      TooManyUnprepared(1, 1),
      FromError(Failed("a", "", "b")),
      NotReady("starting", ""),
      NotReady("draining", ""),
      TimedOut(Failed("a", "", "b")),
  };
  const std::string tables = TablesUnder("## Errors");
  for (const ApiError& error : errors) {
    const std::string code = error.code.empty() ? "null" : "`" + error.code + "`";
    const std::string row = Format("| {} | `{}` | {} |", error.status, error.type, code);
    EXPECT_NE(tables.find(row), std::string::npos) << row << " is not in\n" << tables;
  }
}

}  // namespace
}  // namespace fathom
