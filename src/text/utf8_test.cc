#include "text/utf8.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/byte_alphabet.h"

namespace fathom {
namespace {

TEST(Utf8, EachMaximalSubpartBecomesOneReplacement) {
  struct Row {
    std::string_view bytes, expected;
  };
  // The first four are the examples of Unicode 15, tables 3-8 to 3-11.
  const Row rows[] = {
      {"\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64",
       "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd"},
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA"},
      {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA"},
      {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB"},
      {"", ""},
      {"plain", "plain"},
      {"h\xC3\xA9\xE4\xB8\x96\xF0\x9F\x98\x80", "h\u00e9\u4e16\U0001F600"},
      {"\xE4\xB8", "\uFFFD"},
      {"\xF0\x9F\x98", "\uFFFD"},
  };
  for (const Row& row : rows) EXPECT_EQ(ReplaceInvalidUtf8(row.bytes), row.expected);
}

TEST(Utf8, TheFirstByteThatIsNotUtf8IsNamedWithItsPlace) {
  EXPECT_TRUE(CheckUtf8("h\xC3\xA9\n\u4e16").ok());
  const auto error = [](std::string_view text) { return CheckUtf8(text).error().ToString(); };
  const std::string fix =
      "  fix: write the text as UTF-8; `iconv -f ENCODING -t UTF-8` converts a file\n";
  EXPECT_EQ(error("a\n\u4e16\xFF\xFE"),
            "error: byte 0xff at offset 5 (line 2) is not UTF-8\n" + fix);
  EXPECT_EQ(error("\xE4\xB8"), "error: byte 0xe4 at offset 0 (line 1) is not UTF-8\n" + fix);
  EXPECT_TRUE(CheckUtf8Line("\u4e16").ok());
  EXPECT_EQ(CheckUtf8Line("\u4e16\xFF").error().ToString(),
            "error: byte 0xff at offset 3 of the line is not UTF-8\n" + fix);
}

TEST(Utf8, UnfinishedTailIsWhatMoreBytesCouldComplete) {
  struct Row {
    std::string_view bytes;
    size_t tail;
  };
  const Row rows[] = {{"", 0},
                      {"a", 0},
                      {"a\xC3", 1},
                      {"a\xE4\xB8", 2},
                      {"\xF0\x9F\x98", 3},
                      {"\xF0\x9F", 2},
                      {"\xE4\xB8\x96", 0},
                      {"\x80\x80", 0},
                      {"\xC0", 0},
                      {"\xE0\x80", 0},
                      {"\xF4\x90", 0},
                      {"\xFF", 0}};
  for (const Row& row : rows) EXPECT_EQ(UnfinishedUtf8Tail(row.bytes), row.tail);
}

TEST(Utf8, WritesWhatItReads) {
  for (const uint32_t value :
       {0U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    std::string text;
    AppendUtf8(value, text);
    const CodePoint read = DecodeUtf8(text, 0);
    EXPECT_TRUE(read.valid);
    EXPECT_EQ(read.value, value);
    EXPECT_EQ(read.length, text.size());
  }
}

// The 25 code points of White_Space in Unicode 15's PropList.txt.
TEST(Utf8, WhiteSpaceHas25CodePoints) {
  int count = 0;
  for (uint32_t value = 0; value <= 0x10FFFF; ++value) count += IsWhiteSpace(value) ? 1 : 0;
  EXPECT_EQ(count, 25);
  EXPECT_FALSE(IsWhiteSpace(0x180E));
  EXPECT_FALSE(IsWhiteSpace(0x200B));
}

// GPT-2's bytes_to_unicode().
TEST(ByteAlphabet, SpotValues) {
  EXPECT_EQ(ByteCharacter('A'), "A");
  EXPECT_EQ(ByteCharacter(0x00), "\u0100");
  EXPECT_EQ(ByteCharacter('\n'), "\u010A");
  EXPECT_EQ(ByteCharacter(' '), "\u0120");
  EXPECT_EQ(ByteCharacter(0x7F), "\u0121");
  EXPECT_EQ(ByteCharacter(0xA0), "\u0142");
  EXPECT_EQ(ByteCharacter(0xAD), "\u0143");
  EXPECT_EQ(ByteCharacter(0xFF), "\u00FF");
}

TEST(ByteAlphabet, BytesOfEntryIsTheInverse) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto narrow = static_cast<uint8_t>(byte);
    EXPECT_EQ(BytesOfEntry(ByteCharacter(narrow)), std::string(1, static_cast<char>(byte)));
  }
  EXPECT_EQ(BytesOfEntry("\u0120the"), " the");
  EXPECT_EQ(BytesOfEntry("two words"), std::nullopt);
  EXPECT_EQ(BytesOfEntry("<\uFF5CUser\uFF5C>"), std::nullopt);
  EXPECT_EQ(BytesOfEntry("\u0144"), std::nullopt);
}

}  // namespace
}  // namespace fathom
