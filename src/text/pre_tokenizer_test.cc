#include "text/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/golden_testing.h"
#include "text/normalizer.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

using Pieces = std::vector<std::string>;

Result<PreTokenizer> ParseText(std::string_view json) {
  const Json parsed = ParseJson(json, "test").value();
  return PreTokenizer::Parse(JsonReader(parsed, "tokenizer.json", "/pre_tokenizer"));
}

Pieces PiecesOf(const PreTokenizer& pre_tokenizer, std::string_view text) {
  const std::vector<std::string_view> pieces = pre_tokenizer.Split(text).value();
  return {pieces.begin(), pieces.end()};
}

Pieces Split(std::string_view json, std::string_view text) {
  const Result<PreTokenizer> pre_tokenizer = ParseText(json);
  EXPECT_TRUE(pre_tokenizer.ok()) << pre_tokenizer.error().ToString();
  return PiecesOf(*pre_tokenizer, text);
}

constexpr const char* kByteLevel =
    R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":true})";

// What the published tokenizers of DeepSeek-V3, Qwen3 (whose pattern is Qwen2's) and Llama-3 cut.
class PublishedSplits : public testing::TestWithParam<const char*> {};

TEST_P(PublishedSplits, PiecesAreEqual) {
  const Json vectors = ReadVectors("split_vectors.json");
  const Json& tokenizer = *vectors.Find("tokenizers")->Find(GetParam());
  const Normalizer normalizer = Normalizer::Parse(JsonReader(tokenizer, "vectors")).value();
  const Json& steps = *tokenizer.Find("pre_tokenizer");
  const PreTokenizer pre_tokenizer = PreTokenizer::Parse(JsonReader(steps, "vectors")).value();
  ASSERT_GT(vectors.Find("cases")->as_array().size(), 30U);
  for (const Json& item : vectors.Find("cases")->as_array()) {
    const std::string text = normalizer.Normalize(item.Find("text")->as_string());
    Pieces expected;
    for (const Json& piece : item.Find(GetParam())->Find("pieces")->as_array()) {
      expected.push_back(piece.as_string());
    }
    EXPECT_EQ(PiecesOf(pre_tokenizer, text), expected) << text;
  }
}
INSTANTIATE_TEST_SUITE_P(All, PublishedSplits, testing::Values("deepseek", "qwen", "llama3"),
                         [](const auto& instance) { return std::string(instance.param); });

// The ids as well, where the real tokenizer.json is at hand.
struct RealTokenizer {
  const char* name;
  const char* variable;  // of the environment: its folder
};
class PublishedIds : public testing::TestWithParam<RealTokenizer> {};

TEST_P(PublishedIds, AreEqual) {
  const auto& [name, variable] = GetParam();
  const std::optional<TokenizerFiles> files = TokenizerFilesFromEnvironment(variable);
  if (!files.has_value()) {
    GTEST_SKIP() << variable << " is not set: it names the folder with " << name
                 << "'s tokenizer.json";
  }
  const Tokenizer tokenizer = ParseOrDie(*files);
  const Json vectors = ReadVectors("split_vectors.json");
  for (const Json& item : vectors.Find("cases")->as_array()) {
    const std::string& text = item.Find("text")->as_string();
    EXPECT_EQ(tokenizer.Encode(text, true).value(), IdsOf(*item.Find(name)->Find("ids"))) << text;
  }
}
INSTANTIATE_TEST_SUITE_P(All, PublishedIds,
                         testing::Values(RealTokenizer{"deepseek", "FATHOM_TOKENIZER_DIR"},
                                         RealTokenizer{"qwen", "FATHOM_QWEN_TOKENIZER_DIR"},
                                         RealTokenizer{"llama3", "FATHOM_LLAMA3_TOKENIZER_DIR"}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(PreTokenizer, ByteLevelAloneSplitsAsGpt2Does) {
  EXPECT_EQ(Split(kByteLevel, "Hello  world's 42!!\n"),
            (Pieces{"Hello", " ", " world", "'s", " 42", "!!", "\n"}));
}

TEST(PreTokenizer, DigitsAloneOrInRuns) {
  const auto steps = [](const char* individual) {
    return std::string(
               R"({"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":)") +
           individual + R"(},{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]})";
  };
  EXPECT_EQ(Split(steps("true"), "a12b"), (Pieces{"a", "1", "2", "b"}));
  EXPECT_EQ(Split(steps("false"), "a12b"), (Pieces{"a", "12", "b"}));
}

TEST(PreTokenizer, LiteralPatternAndEndOfLine) {
  EXPECT_EQ(Split(R"({"type":"Sequence","pretokenizers":[
      {"type":"Split","pattern":{"String":"a.b"},"behavior":"Isolated","invert":false},
      {"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]})",
                  "xa.baxb"),
            (Pieces{"x", "a.b", "axb"}));
  EXPECT_EQ(Split(R"({"type":"Sequence","pretokenizers":[
      {"type":"Split","pattern":{"Regex":" +$"},"behavior":"Isolated","invert":false},
      {"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]})",
                  "a  \nb "),
            (Pieces{"a", "  ", "\nb", " "}));
}

TEST(PreTokenizer, BytesThatAreNotUtf8StandAlone) {
  EXPECT_EQ(Split(kByteLevel, "ab\xFF\xFE c\xE4\xB8"),
            (Pieces{"ab", "\xFF", "\xFE", " c", "\xE4\xB8"}));
}

// "(a|aa)+$" can cut n letters into ones and twos in Fibonacci(n) ways, and tries them all.
TEST(PreTokenizer, APatternThatGivesUpIsAnErrorAndNotOtherPieces) {
  const Result<PreTokenizer> pre_tokenizer = ParseText(R"({"type":"Sequence","pretokenizers":[
      {"type":"Split","pattern":{"Regex":"(a|aa)+$"},"behavior":"Isolated","invert":false},
      {"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]})");
  ASSERT_TRUE(pre_tokenizer.ok()) << pre_tokenizer.error().ToString();
  EXPECT_EQ(PiecesOf(*pre_tokenizer, "b aaa"), (Pieces{"b ", "aaa"}));
  const auto gave_up = pre_tokenizer->Split("b" + std::string(60, 'a') + "b");
  ASSERT_FALSE(gave_up.ok());
  EXPECT_EQ(
      gave_up.error().ToString(),
      "error: the tokenizer's pattern gives up at byte 0 of a text of 62: match limit exceeded\n"
      "  where: tokenizer.json: /pre_tokenizer/pretokenizers/0/pattern\n"
      "  fix: give a shorter text, or a tokenizer whose pattern backtracks less\n");
  EXPECT_EQ(gave_up.error().kind, ErrorKind::kBadInput);
}

TEST(PreTokenizer, SaysWhatIsNotSupported) {
  struct Row {
    const char* json;
    const char* what;
    const char* where;
  };
  const Row rows[] = {
      {R"({"type":"Metaspace"})",
       "expected one of \"Sequence\", \"Split\", \"Digits\", \"ByteLevel\", found string "
       "\"Metaspace\"",
       "tokenizer.json: /pre_tokenizer/type"},
      {R"({"type":"Digits"})", "the pre-tokenizer does not end in a ByteLevel step",
       "tokenizer.json: /pre_tokenizer"},
      {R"({"type":"ByteLevel","add_prefix_space":true})", "expected false, found bool true",
       "tokenizer.json: /pre_tokenizer/add_prefix_space"},
      {R"({"type":"Split","pattern":{"Regex":"a"},"behavior":"Removed"})",
       "expected \"Isolated\", found string \"Removed\"",
       "tokenizer.json: /pre_tokenizer/behavior"},
      {R"({"type":"Split","pattern":{"Regex":"a"},"behavior":"Isolated","invert":true})",
       "expected false, found bool true", "tokenizer.json: /pre_tokenizer/invert"},
      {R"({"type":"Split","pattern":{},"behavior":"Isolated"})", "key \"Regex\" is missing",
       "tokenizer.json: /pre_tokenizer/pattern"},
      {R"({"type":"Split","pattern":{"Regex":"(a"},"behavior":"Isolated"})",
       "pattern \"(a\" does not compile: missing closing parenthesis (at byte 2 of its "
       "translation)",
       "tokenizer.json: /pre_tokenizer/pattern"},
      {R"({"type":"Sequence","pretokenizers":[
          {"type":"ByteLevel","add_prefix_space":false},{"type":"Digits"}]})",
       "step Digits after ByteLevel is not supported",
       "tokenizer.json: /pre_tokenizer/pretokenizers/1"},
  };
  for (const Row& row : rows) {
    const Result<PreTokenizer> result = ParseText(row.json);
    ASSERT_FALSE(result.ok()) << row.json;
    EXPECT_EQ(result.error().what, row.what);
    EXPECT_EQ(result.error().where, row.where);
  }
}

}  // namespace
}  // namespace fathom
