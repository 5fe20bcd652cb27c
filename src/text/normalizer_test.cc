#include "text/normalizer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/marked_text.h"

namespace fathom {
namespace {

Result<Normalizer> ParseText(std::string_view normalizer) {
  const Json json = Json::MakeObject({{"normalizer", ParseJson(normalizer, "test").value()}});
  return Normalizer::Parse(JsonReader(json, "tokenizer.json"));
}

TEST(Normalizer, Nfc) {
  const Normalizer nfc = ParseText(R"({"type":"NFC"})").value();
  struct Row {
    std::string_view text, expected;
  };
  // Unicode 15, NormalizationTest.txt (column 2) and UAX 15, figures 3 to 5.
  const Row rows[] = {
      {"", ""},
      {"plain ASCII", "plain ASCII"},
      {"e\u0301", "\u00e9"},
      {"\u00e9", "\u00e9"},
      {"\u212b", "\u00c5"},
      {"\u2126", "\u03a9"},
      {"q\u0307\u0323", "q\u0323\u0307"},
      {"\u1e0b\u0323", "\u1e0d\u0307"},
      {"\u1112\u1161\u11ab", "\ud55c"},
      {"\uf900", "\u8c48"},
      {"\u0958", "\u0915\u093c"},
      {"\U0001d15e", "\U0001d157\U0001d165"},
      {"\u0344", "\u0308\u0301"},
      {"\ufb01", "\ufb01"},
      {"a\u0301\xFF"
       "e\u0301",
       "\u00e1\xFF\u00e9"},
  };
  for (const Row& row : rows) EXPECT_EQ(nfc.Normalize(row.text), row.expected) << row.text;
}

TEST(Normalizer, WhatIsComposedOfMarkedAndOtherBytesIsMarked) {
  const Normalizer nfc = ParseText(R"({"type":"NFC"})").value();
  // "xe" from the template, the accent from a message, then "y".
  const std::vector<TextSpan> spans = {{"xe", false}, {"\u0301", true}, {"y", false}};
  const std::vector<TextSpan> out = nfc.Normalize(MarkedText(spans)).Spans();
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(out[0].text, "x");
  EXPECT_EQ(out[1].text, "\u00e9");
  EXPECT_TRUE(out[1].from_message);
  EXPECT_EQ(out[2].text, "y");
}

TEST(Normalizer, LongRunsOfMarksAreNotQuadratic) {
  const Normalizer nfc = ParseText(R"({"type":"NFC"})").value();
  std::string text = "a";
  std::string grave;
  constexpr size_t kMarks = 200'000;
  for (size_t i = 0; i < kMarks; ++i) {
    text += "\u0307\u0323";  // classes 230 and 220: each pair has to change places with all before
    grave += i + 1 < kMarks ? "\u0307" : "";
  }
  const std::string out = nfc.Normalize(text);
  EXPECT_TRUE(out.starts_with("\u1ea1\u0323"));
  EXPECT_TRUE(out.ends_with(grave));
}

TEST(Normalizer, NoneOrEmptyChangesNothing) {
  for (const char* json : {"null", R"({"type":"Sequence","normalizers":[]})"}) {
    const Result<Normalizer> none = ParseText(json);
    ASSERT_TRUE(none.ok());
    EXPECT_EQ(none->Normalize("e\u0301"), "e\u0301");
  }
  const Result<Normalizer> nfc = ParseText(R"({"type":"Sequence","normalizers":[{"type":"NFC"}]})");
  ASSERT_TRUE(nfc.ok());
  EXPECT_EQ(nfc->Normalize("e\u0301"), "\u00e9");
}

TEST(Normalizer, SaysWhatIsNotSupported) {
  const Result<Normalizer> result = ParseText(R"({"type":"NFKC"})");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().what,
            "expected \"NFC\" or a \"Sequence\" of them, found string \"NFKC\"");
  EXPECT_EQ(result.error().where, "tokenizer.json: /normalizer/type");
}

}  // namespace
}  // namespace fathom
