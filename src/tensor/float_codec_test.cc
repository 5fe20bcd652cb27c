#include "tensor/float_codec.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tensor/dtype.h"

namespace fathom {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

// OCP 8-bit floating point specification 1.0, table 2 (E4M3).
TEST(F8E4M3, DecodesTheValuesOfItsSpecification) {
  struct Row {
    uint8_t code;
    float value;
  };
  const std::vector<Row> rows = {
      {0x00, 0.0F},
      {0x01, 0x1p-9F},           // smallest subnormal
      {0x07, 0.875F * 0x1p-6F},  // largest subnormal
      {0x08, 0x1p-6F},           // smallest normal
      {0x38, 1.0F},
      {0x7E, 448.0F},  // largest
      {0xFE, -448.0F},
      {0xB8, -1.0F},
  };
  for (const Row& row : rows) EXPECT_EQ(ToFloat(F8E4M3{row.code}), row.value);
  EXPECT_EQ(Bits(ToFloat(F8E4M3{0x80})), 0x80000000U);
  EXPECT_TRUE(std::isnan(ToFloat(F8E4M3{0x7F})));
  EXPECT_TRUE(std::isnan(ToFloat(F8E4M3{0xFF})));
}

TEST(F8E4M3, EveryCodeSurvivesATrip) {
  for (int code = 0; code < 256; ++code) {
    const F8E4M3 value{static_cast<uint8_t>(code)};
    if (std::isnan(ToFloat(value))) continue;
    EXPECT_EQ(ToF8E4M3(ToFloat(value)), value) << code;
  }
  EXPECT_TRUE(std::isnan(ToFloat(ToF8E4M3(kNan))));
}

// Between two neighbours the nearer wins, and the even code at the middle.
TEST(F8E4M3, RoundsToNearestEven) {
  for (uint8_t code = 0; code < 0x7E; ++code) {
    const float low = ToFloat(F8E4M3{code});
    const float high = ToFloat(F8E4M3{static_cast<uint8_t>(code + 1)});
    const float middle = (low + high) / 2;  // exact: both have at most 4 significant bits
    const uint8_t even = code % 2 == 0 ? code : static_cast<uint8_t>(code + 1);
    EXPECT_EQ(ToF8E4M3(middle).bits, even);
    EXPECT_EQ(ToF8E4M3(std::nextafter(middle, 0.0F)).bits, code);
    EXPECT_EQ(ToF8E4M3(std::nextafter(middle, kInfinity)).bits, code + 1);
  }
}

TEST(F8E4M3, SaturatesAtItsLargest) {
  for (const float value : {449.0F, 465.0F, 1e30F, kInfinity}) {
    EXPECT_EQ(ToF8E4M3(value).bits, 0x7E);
    EXPECT_EQ(ToF8E4M3(-value).bits, 0xFE);
  }
}

TEST(F16, DecodesTheValuesOfIeee754) {
  struct Row {
    uint16_t code;
    float value;
  };
  const std::vector<Row> rows = {
      {0x0000, 0.0F},      {0x0001, 0x1p-24F},        {0x03FF, 1023 * 0x1p-24F}, {0x0400, 0x1p-14F},
      {0x3C00, 1.0F},      {0x3555, 0.333251953125F}, {0x7BFF, 65504.0F},        {0xC000, -2.0F},
      {0x7C00, kInfinity}, {0xFC00, -kInfinity},
  };
  for (const Row& row : rows) EXPECT_EQ(ToFloat(F16{row.code}), row.value);
  EXPECT_TRUE(std::isnan(ToFloat(F16{0x7E00})));
}

TEST(F16, EveryCodeSurvivesATrip) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const F16 value{static_cast<uint16_t>(code)};
    if (std::isnan(ToFloat(value))) continue;
    ASSERT_EQ(ToF16(ToFloat(value)), value) << code;
  }
  EXPECT_TRUE(std::isnan(ToFloat(ToF16(kNan))));
}

TEST(F16, RoundsToNearestEvenAndOverflowsToInfinity) {
  for (uint16_t code = 0; code < 0x7BFF; ++code) {
    const float low = ToFloat(F16{code});
    const float high = ToFloat(F16{static_cast<uint16_t>(code + 1)});
    const float middle = (low + high) / 2;
    ASSERT_EQ(ToF16(middle).bits, code % 2 == 0 ? code : code + 1);
    ASSERT_EQ(ToF16(std::nextafter(middle, 0.0F)).bits, code);
    ASSERT_EQ(ToF16(std::nextafter(middle, kInfinity)).bits, code + 1);
  }
  EXPECT_EQ(ToF16(65519.0F).bits, 0x7BFF);
  EXPECT_EQ(ToF16(65520.0F).bits, 0x7C00);  // the middle of 65504 and 2^16
  EXPECT_EQ(ToF16(-kInfinity).bits, 0xFC00);
}

TEST(Bf16, IsTheUpperHalfOfAFloat) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const Bf16 value{static_cast<uint16_t>(code)};
    ASSERT_EQ(Bits(ToFloat(value)), code << 16);
    if (std::isnan(ToFloat(value))) continue;
    ASSERT_EQ(ToBf16(ToFloat(value)), value);
  }
}

TEST(Bf16, RoundsToNearestEvenAndKeepsNan) {
  EXPECT_EQ(ToBf16(std::bit_cast<float>(0x3F808000U)).bits, 0x3F80);  // middle, even below
  EXPECT_EQ(ToBf16(std::bit_cast<float>(0x3F818000U)).bits, 0x3F82);  // middle, even above
  EXPECT_EQ(ToBf16(std::bit_cast<float>(0x3F808001U)).bits, 0x3F81);
  EXPECT_EQ(ToBf16(std::numeric_limits<float>::max()).bits, 0x7F80);  // infinity
  EXPECT_TRUE(std::isnan(ToFloat(ToBf16(std::bit_cast<float>(0x7F800001U)))));
  EXPECT_EQ(RoundToBf16(1.0F + 0x1p-9F), 1.0F);
}

}  // namespace
}  // namespace fathom
