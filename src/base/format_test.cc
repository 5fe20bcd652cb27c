#include "base/format.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace fathom {
namespace {

TEST(Format, ReplacesFields) {
  EXPECT_EQ(Format("nothing"), "nothing");
  EXPECT_EQ(Format("{} of {}", 3, std::string("7")), "3 of 7");
  EXPECT_EQ(Format("{:>4}|{:.2f}|{:#x}|{}", 12, 0.125, 255U, true), "  12|0.12|0xff|true");
  EXPECT_EQ(Format("{}", std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(Format("{}", std::numeric_limits<int64_t>::min()), "-9223372036854775808");
}

TEST(FormatDeathTest, APatternThatDoesNotMatchItsArgumentsEndsTheProcess) {
  EXPECT_DEATH(Format("{} {}", 1), "format pattern");
  EXPECT_DEATH(Format("{:d}", "text"), "format pattern");
}

TEST(WithCommas, GroupsDigitsByThree) {
  struct Row {
    int64_t value;
    std::string text;
  };
  const std::vector<Row> rows = {
      {0, "0"},
      {999, "999"},
      {1000, "1,000"},
      {1234567, "1,234,567"},
      {-123, "-123"},
      {-1234, "-1,234"},
      {671026419200, "671,026,419,200"},
  };
  for (const Row& row : rows) EXPECT_EQ(WithCommas(row.value), row.text);
}

TEST(HumanBytes, UsesBinaryUnitsWithOneDecimal) {
  struct Row {
    int64_t bytes;
    std::string text;
  };
  const int64_t kib = 1024;
  const std::vector<Row> rows = {
      {0, "0 B"},
      {1023, "1023 B"},
      {kib, "1.0 KiB"},
      {1536, "1.5 KiB"},
      {kib * kib, "1.0 MiB"},
      {kib * kib * kib * 3 / 2, "1.5 GiB"},
      {-2048, "-2.0 KiB"},
      {kib * kib * kib * kib, "1.0 TiB"},
  };
  for (const Row& row : rows) EXPECT_EQ(HumanBytes(row.bytes), row.text);
}

TEST(ShapeString, PrintsDimensionsInBrackets) {
  EXPECT_EQ(ShapeString(std::vector<int64_t>{}), "[]");
  EXPECT_EQ(ShapeString(std::vector<int64_t>{7168}), "[7168]");
  EXPECT_EQ(ShapeString(std::vector<int64_t>{2048, 7168}), "[2048, 7168]");
}

}  // namespace
}  // namespace fathom
