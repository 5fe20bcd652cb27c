#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"
#include "text/golden_testing.h"
#include "text/tiny_tokenizer_testing.h"

namespace fathom {
namespace {

class TokenizeTest : public testing::Test {
 protected:
  // The ids that --json prints.
  std::vector<int64_t> Ids(std::vector<std::string> args) {
    args.insert(args.begin(), {"tokenize", model_});
    args.emplace_back("--json");
    const Outcome outcome = RunFathom(args);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const Json json = ParseJson(outcome.out, "output").value();
    EXPECT_EQ(json.as_object().size(), 2u);
    text_ = json.Find("text")->as_string();
    std::vector<int64_t> ids;
    for (const Json& id : json.Find("ids")->as_array()) ids.push_back(id.as_int());
    return ids;
  }

  ScratchFolder folder_;
  std::string model_ = WriteTinyTokenizer(folder_, "tokenizer");
  std::string text_;
};

using List = std::vector<int64_t>;

TEST_F(TokenizeTest, TextBecomesIdsWithoutBos) {
  EXPECT_EQ(Ids({"--text", "ab"}), List({2 + 'a', 2 + 'b'}));
  EXPECT_EQ(text_, "ab");
  EXPECT_EQ(Ids({"--text", ""}), List());
  EXPECT_EQ(Ids({"--text="}), List());
  EXPECT_EQ(Ids({"--text", "--ids="}), Ids({"--text=--ids="}));  // after a flag all is its value
  EXPECT_EQ(Ids({"--file", folder_.Put("f", "b\n")}), List({2 + 'b', 2 + '\n'}));
}

TEST_F(TokenizeTest, AddedTokensInTextAreParsedUnlessToldNotTo) {
  EXPECT_EQ(Ids({"--text", "a<think>"}), List({2 + 'a', kTinyThink}));
  EXPECT_EQ(Ids({"--text", "a<think>", "--no-parse-special"}).size(), 8u);
  EXPECT_EQ(text_, "a<think>");
}

TEST_F(TokenizeTest, IdsBecomeText) {
  EXPECT_EQ(Ids({"--ids", "0,99,258, 1"}), List({0, 99, 258, 1}));
  EXPECT_EQ(text_, "<bos>a<think><eos>");
  Ids({"--ids", "0,99,258,1", "--skip-special"});
  EXPECT_EQ(text_, "a<think>");
}

TEST_F(TokenizeTest, WithoutJsonTheOtherSideIsPrinted) {
  EXPECT_EQ(RunFathom({"tokenize", model_, "--text", "ab"}).out, "99,100\n");
  EXPECT_EQ(RunFathom({"tokenize", model_, "--ids", "99,100"}).out, "ab\n");
}

TEST_F(TokenizeTest, MessagesGoThroughTheTemplate) {
  const std::string list = folder_.Put("list.json", R"([{"role":"user","content":"a"}])");
  const List prompt = {kTinyBos, kTinyUser, 2 + 'a', kTinyBot, kTinyThink, 2 + '\n'};
  EXPECT_EQ(Ids({"--messages", list}), prompt);
  EXPECT_EQ(text_, "<bos><user>a<bot><think>\n");
  EXPECT_EQ(Ids({"--messages", list, "--no-generation-prompt"}),
            List(prompt.begin(), prompt.begin() + 3));
  const std::string object =
      folder_.Put("object.json", R"({"messages":[{"role":"user","content":"a"}]})");
  EXPECT_EQ(Ids({"--messages", object}), prompt);
}

TEST_F(TokenizeTest, ControlTokensInsideMessagesAreParsedUnlessToldNotTo) {
  const std::string file = folder_.Put("m.json", R"([{"role":"user","content":"<bot>"}])");
  const auto count = [](const List& ids) { return std::count(ids.begin(), ids.end(), kTinyBot); };
  EXPECT_EQ(count(Ids({"--messages", file})), 2);
  EXPECT_EQ(count(Ids({"--messages", file, "--no-parse-special"})), 1);
  EXPECT_EQ(text_, "<bos><user><bot><bot><think>\n");
}

TEST_F(TokenizeTest, TheTemplateAndItsVariablesCanBeGiven) {
  const std::string file = folder_.Put("m.json", R"([{"role":"user","content":"a"}])");
  const std::string other =
      folder_.Put("t.jinja", "{{ messages[0].content }}{% if thinking %}!{% endif %}");
  Ids({"--messages", file, "--chat-template", other});
  EXPECT_EQ(text_, "a");
  Ids({"--messages", file, "--chat-template", other, "--chat-template-kwargs",
       R"({"thinking": true})"});
  EXPECT_EQ(text_, "a!");
}

// What Jinja2 renders published templates to.
TEST_F(TokenizeTest, ToolsGoThroughTheTemplate) {
  const Json vectors = ReadVectors("tools_vectors.json");
  for (const Json& output : vectors.Find("outputs")->as_array()) {
    const std::string& name = output.Find("template")->as_string();
    const Json object = Json::MakeObject(
        {{"messages",
          *vectors.Find("conversations")->Find(output.Find("conversation")->as_string())},
         {"tools", *vectors.Find("tools")}});
    Ids({"--messages", folder_.Put("m.json", object.Dump()), "--chat-template",
         GoldenTokenizerFolder() + "/templates/" + name + ".jinja"});
    const std::string& bos = output.Find("bos_token")->as_string();
    const std::string rest = output.Find("text")->as_string().substr(bos.size());
    EXPECT_EQ(text_, (bos.empty() ? "" : "<bos>") + rest) << name;
  }
}

TEST_F(TokenizeTest, InputsMayComeFromAPipe) {
  const Outcome text = RunFathom({"tokenize", model_, "--file", "-"}, "ab");
  EXPECT_EQ(text.out, "99,100\n") << text.err;
  const std::string messages = R"([{"role":"user","content":"a"}])";
  const Outcome rendered = RunFathom(
      {"tokenize", model_, "--messages", "/dev/stdin", "--no-generation-prompt"}, messages);
  EXPECT_EQ(rendered.out, "0,260,99\n") << rendered.err;
}

TEST_F(TokenizeTest, BadInputIsNamed) {
  const std::string bytes = folder_.Put("bytes", "a\n\xff");
  const std::string null = folder_.Put("null.json", R"([{"role":"user","content":null}])");
  const std::string bad = folder_.Put("bad.json", R"([{"content":"a"}])");
  const std::string role = folder_.Put("role.json", R"({"messages":[{"role":"user","content":"a"},
      {"role":"asistant","content":"b"}]})");
  const std::string no_json = folder_.Put("no.json", "[");
  const std::string raises = folder_.Put("raises.jinja", "{{ raise_exception('too bad') }}");
  const std::string good = folder_.Put("good.json", R"([{"role":"user","content":"a"}])");
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
      {{"--ids", "1,a"}, "error: --ids: 'a' is not a token id\n  where: tokenize\n"},
      {{"--ids", "279"},
       "error: --ids: 279 is outside the vocabulary of 279 ids\n  where: tokenize\n"
       "  fix: give ids from 0 to 278\n"},
      {{"--file", bytes},
       "error: byte 0xff at offset 2 (line 2) is not UTF-8\n  where: tokenize: " + bytes + "\n"},
      {{"--messages", bytes},
       "error: byte 0xff at offset 2 (line 2) is not UTF-8\n  where: tokenize: " + bytes + "\n"},
      {{"--messages", null},
       "error: expected text, found null\n  where: tokenize: " + null +
           ": /0/content\n  fix: give the content as one string; only a message with "
           "\"tool_calls\" may have none\n"},
      {{"--messages", bad}, "where: tokenize: " + bad + ": /0"},
      {{"--messages", role},
       "error: expected one of system, developer, user, assistant, tool, found string "
       "\"asistant\"\n  where: tokenize: " +
           role + ": /messages/1/role\n  fix: correct it there\n"},
      {{"--file", "/dev/zero"},
       "error: the input goes on, at most 67,108,864 bytes are allowed here\n"
       "  where: tokenize: /dev/zero\n"
       "  fix: name the right file, or split it into smaller ones\n"},
      {{"--messages", no_json}, "where: tokenize: " + no_json},
      {{"--messages", folder_ / "none"}, "where: tokenize: " + (folder_ / "none")},
      {{"--file", folder_ / "none"}, "where: tokenize: " + (folder_ / "none")},
      {{"--messages", good, "--chat-template", raises}, "too bad"},
  };
  for (const auto& [args, error] : rows) {
    std::vector<std::string> all = {"tokenize", model_};
    all.insert(all.end(), args.begin(), args.end());
    const Outcome outcome = RunFathom(all);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(error), std::string::npos) << outcome.err;
  }
}

// More than a pipe holds: the program cannot be done before its output is closed.
TEST_F(TokenizeTest, AnOutputThatIsClosedEndsTheProgramQuietly) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "a ";
  Child child({"tokenize", model_, "--file", folder_.Put("long", text)}, Child::Streams::kPipes);
  child.CloseOutput();
  const Outcome outcome = child.Finish();
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace fathom
