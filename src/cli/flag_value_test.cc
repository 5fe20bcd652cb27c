#include "cli/flag_value.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace fathom {
namespace {

template <typename T>
std::string Refusal(const std::string& text) {
  T field{};
  return ReadFlag("--f", text, field).value_or("none");
}

TEST(ReadFlag, TakesTheWholeRangeOfItsField) {
  int64_t wide = 0;
  EXPECT_FALSE(ReadFlag("--f", "9223372036854775807", wide));
  EXPECT_EQ(wide, INT64_MAX);
  EXPECT_FALSE(ReadFlag("--f", "-9223372036854775808", wide));
  EXPECT_EQ(wide, INT64_MIN);
  std::optional<double> real;
  EXPECT_FALSE(ReadFlag("--f", "6e-1", real));
  EXPECT_EQ(real, 0.6);
  std::string text;
  EXPECT_FALSE(ReadFlag("--f", "any", text));
  EXPECT_EQ(text, "any");
}

TEST(ReadFlag, RefusesWhatItWouldHaveToCutOrGuess) {
  EXPECT_EQ(Refusal<int64_t>("9223372036854775808"),
            "--f: 9223372036854775808 is outside of -9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(Refusal<std::optional<int64_t>>("-99999999999999999999"),
            "--f: -99999999999999999999 is outside of -9223372036854775808 to "
            "9223372036854775807");
  EXPECT_EQ(Refusal<int>("2147483648"), "--f: 2147483648 is outside of -2147483648 to 2147483647");
  for (const char* text : {"", "abc", "1.5", "1x", " 1", "0x10", "99999999999999999999x"}) {
    EXPECT_EQ(Refusal<int64_t>(text), "--f: '" + std::string(text) + "' is not a whole number");
  }
  for (const char* text : {"", "hot", "nan", "inf", "0.5x"}) {
    EXPECT_EQ(Refusal<double>(text), "--f: '" + std::string(text) + "' is not a number");
  }
  EXPECT_EQ(Refusal<double>("1e999"), "--f: '1e999' is too large a number");
}

}  // namespace
}  // namespace fathom
