#include "base/format.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {
namespace {

TEST(Format, TakesNumbersBoolsAndText) {
  EXPECT_EQ(Format("{} {} {} {} {}", 1, true, "a", std::string("b"), std::string_view("c")),
            "1 true a b c");
  EXPECT_EQ(Format("{:>5}|{:<4}|{:.2f}|{:#x}|{:05}", 12, "ab", 3.14159, 255, 42),
            "   12|ab  |3.14|0xff|00042");
  EXPECT_EQ(Format("{1} {0}", 1, 2), "2 1");
  EXPECT_EQ(Format("{{}}"), "{}");
  EXPECT_EQ(Format("{}", std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(Format("{}", std::numeric_limits<int64_t>::min()), "-9223372036854775808");
}

TEST(FormatDeathTest, APatternThatDoesNotMatchIsABug) {
  EXPECT_DEATH((void)Format("{} {}", 1), "internal error");
}

TEST(Format, CommasEveryThreeDigits) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999), "999");
  EXPECT_EQ(WithCommas(1000), "1,000");
  EXPECT_EQ(WithCommas(-999), "-999");
  EXPECT_EQ(WithCommas(-123456), "-123,456");
  EXPECT_EQ(WithCommas(671026419200), "671,026,419,200");
}

TEST(Format, BytesForPeople) {
  EXPECT_EQ(HumanBytes(0), "0 B");
  EXPECT_EQ(HumanBytes(1023), "1023 B");
  EXPECT_EQ(HumanBytes(1536), "1.5 KiB");
  EXPECT_EQ(HumanBytes(-2048), "-2.0 KiB");
  EXPECT_EQ(HumanBytes(688'574'839'360), "641.3 GiB");
  EXPECT_EQ(HumanBytes(int64_t{1} << 62), "4096.0 PiB");
}

TEST(Format, Shapes) {
  EXPECT_EQ(ShapeString(std::vector<int64_t>{}), "[]");
  EXPECT_EQ(ShapeString(std::vector<int64_t>{2048, 7168}), "[2048, 7168]");
}

}  // namespace
}  // namespace fathom
