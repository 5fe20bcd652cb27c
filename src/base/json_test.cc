#include "base/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fathom {
namespace {

std::string ErrorOf(std::string_view text) {
  const auto json = ParseJson(text, "f.json");
  return json.ok() ? "no error" : json.error().ToString();
}

TEST(Json, KeepsTheOrderOfMembers) {
  const Json json = *ParseJson(R"({"z": 1, "a": [true, null, "x"], "m": {"k": 0.5}})", "t");
  EXPECT_EQ(json.Dump(), R"({"z":1,"a":[true,null,"x"],"m":{"k":0.5}})");
  EXPECT_EQ(json.as_object()[0].first, "z");
}

TEST(Json, TellsWholeNumbersFromOthers) {
  EXPECT_TRUE(ParseJson("3", "t")->is_int());
  EXPECT_FALSE(ParseJson("3.0", "t")->is_int());
  EXPECT_TRUE(ParseJson("3.0", "t")->is_number());
  EXPECT_EQ(ParseJson("-9223372036854775808", "t")->as_int(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ParseJson("9223372036854775807", "t")->as_int(), std::numeric_limits<int64_t>::max());
  const Json large = *ParseJson("18446744073709551615", "t");
  EXPECT_TRUE(large.is_int());
  EXPECT_FALSE(large.fits_int());
  EXPECT_EQ(large.as_uint(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(ParseJson("1e3", "t")->as_double(), 1000);
}

TEST(Json, ReadsEscapesAndSurrogatePairs) {
  EXPECT_EQ(ParseJson(R"("a\n\u00e9\ud83d\ude00\/")", "t")->as_string(), "a\n\u00e9\U0001F600/");
}

TEST(Json, DumpRepairsWhatIsNotUtf8AndEscapesOnRequest) {
  EXPECT_EQ(Json(std::string("a\xff"
                             "b"))
                .Dump(),
            "\"a\uFFFD"
            "b\"");
  EXPECT_EQ(Json("\u00e9").Dump(-1, true), R"("\u00e9")");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).Dump(), "null");
  EXPECT_EQ(Json::MakeObject({{"a", 1}}).Dump(2), "{\n  \"a\": 1\n}");
}

TEST(Json, SetReplacesInPlaceOrAppends) {
  Json json = Json::MakeObject({{"a", 1}, {"b", 2}});
  json.Set("a", "x");
  json.Set("c", Json::ArrayOf(std::vector<int>{1, 2}));
  EXPECT_EQ(json.Dump(), R"({"a":"x","b":2,"c":[1,2]})");
  EXPECT_EQ(json.Find("d"), nullptr);
  EXPECT_EQ(Json(3).Find("d"), nullptr);
}

TEST(Json, CopiesAreEqualAndApart) {
  const Json original = *ParseJson(R"({"a": [1, {"b": "c"}]})", "t");
  Json copy = original;
  EXPECT_EQ(copy, original);
  copy.Set("a", 2);
  EXPECT_NE(copy, original);
  const Json moved = std::move(copy);
  EXPECT_EQ(moved.Find("a")->as_int(), 2);
}

TEST(JsonErrors, NameLineAndColumn) {
  EXPECT_EQ(ErrorOf("{\n  \"a\": }"),
            "error: not valid JSON at line 2, column 8: syntax error while parsing value - "
            "unexpected '}'; expected '[', '{', or a literal\n  where: f.json\n");
  EXPECT_EQ(ErrorOf(R"({"a": 1, "b": {"a": 2}, "a": 3})"),
            "error: key \"a\" stands twice in one object\n  where: f.json\n");
  EXPECT_EQ(ErrorOf("[1e999]"),
            "error: not valid JSON at line 1, column 6: number overflow parsing '1e999'\n  where: "
            "f.json\n");
  EXPECT_NE(ErrorOf("[1] 2"), "no error");
  EXPECT_NE(ErrorOf("\"\xff\""), "no error");
  EXPECT_NE(ErrorOf(""), "no error");
}

TEST(JsonErrors, DeepNestingIsRefusedNotFollowed) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(ErrorOf(nested(256)), "no error");
  EXPECT_EQ(ErrorOf(nested(257)), "error: nested deeper than 256 levels\n  where: f.json\n");
  EXPECT_EQ(ErrorOf(std::string(10'000'000, '[')),
            "error: nested deeper than 256 levels\n  where: f.json\n");
}

class Reading : public testing::Test {
 protected:
  const Json json = *ParseJson(
      R"({"i": 3, "d": 0.5, "b": true, "s": "x", "n": null, "o": {"a/b~": [1]}, "l": [{"k": 1}]})",
      "t");
  const JsonReader root{json, "f.json"};
};

TEST_F(Reading, GivesValuesAndDefaults) {
  EXPECT_EQ(*root.Int("i", 0, 10), 3);
  EXPECT_EQ(*root.Number("d"), 0.5);
  EXPECT_EQ(*root.Number("i"), 3);
  EXPECT_TRUE(*root.Bool("b"));
  EXPECT_EQ(*root.String("s"), "x");
  EXPECT_EQ(*root.IntOr("missing", 7, 0, 10), 7);
  EXPECT_EQ(*root.NumberOr("n", 1.5), 1.5);
  EXPECT_FALSE(*root.BoolOr("n", false));
  EXPECT_EQ(*root.StringOr("n", "y"), "y");
  EXPECT_FALSE(root.Has("n"));
  EXPECT_EQ(*root.ArrayAt("l")->At(0).Int("k", 0, 1), 1);
}

TEST_F(Reading, ErrorsNamePathValueAndWhatWasExpected) {
  EXPECT_EQ(root.Int("i", 5, 9).error().ToString(),
            "error: expected an integer from 5 to 9, found integer 3\n  where: f.json: /i\n");
  EXPECT_EQ(root.Int("missing", 5, 9).error().ToString(),
            "error: key \"missing\" is missing\n  where: f.json\n");
  EXPECT_EQ(root.Bool("n").error().ToString(),
            "error: expected true or false, found null\n  where: f.json: /n\n");
  EXPECT_EQ(root.Object("l").error().ToString(),
            "error: expected an object, found array\n  where: f.json: /l\n");
  EXPECT_EQ(root.Object("o")->Int("a/b~", 0, 1).error().ToString(),
            "error: expected an integer from 0 to 1, found array\n"
            "  where: f.json: /o/a~1b~0\n");
  EXPECT_EQ(root.ArrayAt("l")->At(0).String("k").error().ToString(),
            "error: expected a string, found integer 1\n  where: f.json: /l/0/k\n");
  EXPECT_EQ(root.Mismatch("", "a list").where, "f.json");
}

TEST_F(Reading, LongValuesAreShortenedInErrors) {
  const Json long_text = Json::MakeObject({{"s", std::string(1000, 'x')}});
  const Error error = JsonReader(long_text, "f").Mismatch("s", "a short one");
  EXPECT_EQ(error.what, "expected a short one, found string \"" + std::string(76, 'x') + "...");
}

}  // namespace
}  // namespace fathom
