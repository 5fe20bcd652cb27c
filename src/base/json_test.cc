#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace fathom {
namespace {

Json Parse(std::string_view text) {
  Result<Json> parsed = ParseJson(text, "test.json");
  EXPECT_TRUE(parsed.ok()) << parsed.error().ToString();
  return *std::move(parsed);
}

TEST(ParseJson, TellsTheKindsOfNumbersApart) {
  EXPECT_TRUE(Parse("3").fits_int());
  EXPECT_EQ(Parse("-9223372036854775808").as_int(), std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(Parse("18446744073709551615").is_int());
  EXPECT_FALSE(Parse("18446744073709551615").fits_int());
  EXPECT_EQ(Parse("18446744073709551615").as_uint(), std::numeric_limits<uint64_t>::max());
  EXPECT_FALSE(Parse("3.0").is_int());
  EXPECT_EQ(Parse("1e-6").as_double(), 1e-6);
  EXPECT_EQ(Parse("7").as_double(), 7.0);
}

TEST(ParseJson, KeepsTheOrderOfMembers) {
  const Json json = Parse(R"({"z": 1, "a": [true, null], "m": "x"})");
  EXPECT_EQ(json.Dump(), R"({"z":1,"a":[true,null],"m":"x"})");
  EXPECT_EQ(json.Find("m")->as_string(), "x");
  EXPECT_EQ(json.Find("none"), nullptr);
}

TEST(ParseJson, DecodesEscapes) {
  EXPECT_EQ(Parse(R"("\u4e2d\ud83d\ude00\n")").as_string(), "\u4e2d\U0001F600\n");
}

TEST(ParseJson, ErrorsNamePlaceAndCause) {
  struct Row {
    std::string text;
    std::string what;  // a part of it
    std::string where = "test.json";
    std::string unquoted = {};  // a part of it; "": that of what
  };
  const std::vector<Row> rows = {
      {"", "not valid JSON at line 1, column 1"},
      {"{\n  \"a\": }", "not valid JSON at line 2, column 8"},
      {"[1, 2", "not valid JSON at line 1, column 6"},
      {"[1] x", "not valid JSON at line 1, column 5"},
      {"\"\xff\"", "not valid JSON at line 1, column 2"},
      {"\"\\ud800\"", "not valid JSON at line 1"},
      {R"({"a": 1, "b": 2, "a": 3})", "key \"a\" stands twice in one object", "test.json: /a",
       "key stands twice in one object"},
      {R"({"o": [0, {"a/b": 1, "a/b": 2}]})", "key \"a/b\" stands twice in one object",
       "test.json: /o/1/a~1b", "key stands twice in one object"},
      {std::string(300, '['), "nested deeper than 256 levels", "test.json: /0"},
      {"[1e999]", "number overflow parsing '1e999'", "test.json: /0", "number overflow"},
      {R"({"o": [0, {"k": 1e999}]})", "number overflow parsing '1e999'", "test.json: /o/1/k",
       "number overflow"},
      {"NaN", "not valid JSON at line 1, column 1"},
      {R"({"a": secret})",
       "not valid JSON at line 1, column 7: syntax error while parsing value - invalid literal; "
       "last read: '\"a\": s'",
       "test.json",
       "not valid JSON at line 1, column 7: syntax error while parsing value - invalid literal"},
      {R"({"a" "secret"})", "unexpected string literal; expected ':'", "test.json"},
  };
  for (const Row& row : rows) {
    const Result<Json> parsed = ParseJson(row.text, "test.json");
    ASSERT_FALSE(parsed.ok()) << row.text;
    EXPECT_NE(parsed.error().what.find(row.what), std::string::npos) << parsed.error().what;
    EXPECT_EQ(parsed.error().where, row.where);
    EXPECT_EQ(parsed.error().kind, ErrorKind::kBadInput);
    const std::string& unquoted = row.unquoted.empty() ? row.what : row.unquoted;
    EXPECT_NE(parsed.error().unquoted.find(unquoted), std::string::npos) << parsed.error().unquoted;
    EXPECT_EQ(parsed.error().unquoted.find("secret"), std::string::npos);
  }
}

TEST(ParseJson, ErrorsAreShortWhateverTheyQuote) {
  const std::string much(1 << 20, '7');
  for (const std::string& text : {
           "[" + much + "]",
           "{\"a\": -x" + much,
           "[\"" + much,
           "{\"" + much + "\": 1, \"" + much + "\": 2}",
           "{\"" + much + "\": 1e999}",
       }) {
    const Result<Json> parsed = ParseJson(text, "test.json");
    ASSERT_FALSE(parsed.ok());
    EXPECT_LT(parsed.error().ToString().size(), 500U) << parsed.error().ToString();
  }
}

TEST(ParseJson, CountsEachValue) {
  const std::string text = R"({"a": [1, [], "x"], "b": {"c": null, "d": true}})";
  EXPECT_TRUE(ParseJson(text, "t", 8).ok());
  const Result<Json> parsed = ParseJson(text, "t", 7);
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().ToString(),
            "error: more than 7 values\n  where: t: /b\n  fix: correct it there\n");
  EXPECT_EQ(ParseJson("[0,0]", "t", 2).error().where, "t: /1");
}

TEST(Json, DumpReplacesWhatIsNotUtf8AndNumbersThatAreNotFinite) {
  EXPECT_EQ(Json("a\xff").Dump(), "\"a\uFFFD\"");
  EXPECT_EQ(Json(std::nan("")).Dump(), "null");
  EXPECT_EQ(Json("\u4e2d").Dump(-1, true), "\"\\u4e2d\"");
}

TEST(Json, SetReplacesOrAppends) {
  Json json = Json::MakeObject({{"a", 1}});
  json.Set("a", 2);
  json.Set("b", Json::ArrayOf(std::vector<int>{1, 2}));
  EXPECT_EQ(json.Dump(), R"({"a":2,"b":[1,2]})");
}

class JsonReaderTest : public testing::Test {
 protected:
  Json json_ = Parse(
      R"({"n": 5, "big": 18446744073709551615, "x": 1.5, "t": true, "s": "text", "none": null,)"
      R"( "o": {"a/b~": [{"k": 1}, 2]}})");
  JsonReader root_{json_, "c.json"};
};

TEST_F(JsonReaderTest, ReadsEachType) {
  EXPECT_EQ(*root_.Int("n", 0, 10), 5);
  EXPECT_EQ(*root_.Number("x"), 1.5);
  EXPECT_EQ(*root_.Number("n"), 5.0);
  EXPECT_TRUE(*root_.Bool("t"));
  EXPECT_EQ(*root_.String("s"), "text");
  EXPECT_FALSE(root_.Has("none"));
  EXPECT_FALSE(root_.Has("absent"));
}

TEST_F(JsonReaderTest, MissingAndNullTakeTheFallback) {
  for (const std::string key : {"absent", "none"}) {
    EXPECT_EQ(*root_.IntOr(key, 7, 0, 10), 7);
    EXPECT_EQ(*root_.NumberOr(key, 2.5), 2.5);
    EXPECT_TRUE(*root_.BoolOr(key, true));
    EXPECT_EQ(*root_.StringOr(key, "f"), "f");
  }
  EXPECT_EQ(*root_.IntOr("n", 7, 0, 10), 5);
}

#define FATHOM_CORRECT "  fix: correct it there\n"

template <typename T>
std::string Text(const Result<T>& result) {
  return result.ok() ? "no error" : result.error().ToString();
}

TEST_F(JsonReaderTest, ErrorsNameThePointerTheValueAndWhatIsExpected) {
  const std::vector<std::string> texts = {
      Text(root_.Int("absent", 0, 1)), Text(root_.Int("n", 6, 10)), Text(root_.Int("s", 0, 1)),
      Text(root_.Int("big", 0, 1)),    Text(root_.Int("x", 0, 1)),  Text(root_.Number("t")),
      Text(root_.Bool("none")),        Text(root_.String("o")),     Text(root_.IntOr("s", 1, 0, 1)),
  };
  const std::vector<std::string> expected = {
      "error: key \"absent\" is missing\n  where: c.json\n" FATHOM_CORRECT,
      "error: expected an integer from 6 to 10, found integer 5\n  where: c.json: "
      "/n\n" FATHOM_CORRECT,
      "error: expected an integer from 0 to 1, found string \"text\"\n  where: c.json: "
      "/s\n" FATHOM_CORRECT,
      "error: expected an integer from 0 to 1, found integer 18446744073709551615\n"
      "  where: c.json: /big\n" FATHOM_CORRECT,
      "error: expected an integer from 0 to 1, found number 1.5\n  where: c.json: "
      "/x\n" FATHOM_CORRECT,
      "error: expected a number, found bool true\n  where: c.json: /t\n" FATHOM_CORRECT,
      "error: expected true or false, found null\n  where: c.json: /none\n" FATHOM_CORRECT,
      "error: expected a string, found object {\"a/b~\":[{\"k\":1},2]}\n  where: c.json: "
      "/o\n" FATHOM_CORRECT,
      "error: expected an integer from 0 to 1, found string \"text\"\n  where: c.json: "
      "/s\n" FATHOM_CORRECT,
  };
  EXPECT_EQ(texts, expected);
}

TEST_F(JsonReaderTest, PointersOfNestedPlacesAreEscaped) {
  const JsonReader array = *root_.Object("o")->ArrayAt("a/b~");
  EXPECT_EQ(array.Where(), "c.json: /o/a~1b~0");
  EXPECT_EQ(array.At(0).Where(), "c.json: /o/a~1b~0/0");
  EXPECT_EQ(*array.At(0).Int("k", 0, 1), 1);
  EXPECT_EQ(
      array.At(1).Mismatch("", "an object").ToString(),
      "error: expected an object, found integer 2\n  where: c.json: /o/a~1b~0/1\n" FATHOM_CORRECT);
}

TEST_F(JsonReaderTest, TheFixIsThatOfTheSource) {
  const JsonReader place(json_, JsonSource("c.json", "mend it"));
  EXPECT_EQ(place.Int("absent", 0, 1).error().fix, "mend it");
  EXPECT_EQ(place.Object("o")->ArrayAt("a/b~")->At(1).Wrong("w").fix, "mend it");
  EXPECT_EQ(ParseJson("[", JsonSource("c.json", "mend it")).error().fix, "mend it");
  EXPECT_EQ(JsonReader(json_, JsonSource::Fetched("c.json")).Int("s", 0, 1).error().fix,
            "the file is damaged or was edited: fetch it again, or correct it there");
}

TEST(JsonReader, ALongValueIsCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "\u4e2d";  // three bytes each
  const Json json = Json::MakeObject({{"s", text}});
  // The quote and 25 characters are 76 bytes; one more would be 79 and leave no room for the dots.
  EXPECT_EQ(JsonReader(json, "c.json").Int("s", 0, 1).error().what,
            "expected an integer from 0 to 1, found string \"" + text.substr(0, 75) + "...");
}

TEST(JsonReader, OfALargeValueItsBeginningIsShown) {
  Json list = Json::MakeArray();
  for (int i = 0; i < 1000; ++i) list.Append(Json::MakeObject({{"k", std::string(1000, 'v')}}));
  const Json json = Json::MakeObject({{"s", list}, {std::string(1000, 'k'), 1}});
  const JsonReader root(json, "c.json");
  EXPECT_EQ(root.String("s").error().what,
            "expected a string, found array [{\"k\":\"" + std::string(70, 'v') + "...");
  EXPECT_EQ(root.Mismatch(std::string(1000, 'k'), "x").where,
            "c.json: /" + std::string(100, 'k') + "...");
}

TEST(JsonReader, WhatItSaysWithoutQuotingIsTheTypeMet) {
  const Json json = Json::MakeObject({{"s", "secret"}});
  const JsonReader root(json, "c.json");
  EXPECT_EQ(root.Int("s", 0, 1).error().unquoted, "expected an integer from 0 to 1, found string");
  EXPECT_EQ(root.Int("n", 0, 1).error().unquoted, "key \"n\" is missing");
  EXPECT_EQ(root.Wrong("\"secret\" is wrong").unquoted, "");
}

}  // namespace
}  // namespace fathom
