#include "tensor/float_codec.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/npy_testing.h"

namespace fathom {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(F8E4M3, EveryCodeHasItsGoldenValue) {
  const auto table = ReadGoldenNpy("ops/e4m3_table.npy").As<float>();
  ASSERT_EQ(table.size(), 256U);
  for (int code = 0; code < 256; ++code) {
    const float value = ToFloat(F8E4M3{static_cast<uint8_t>(code)});
    const float golden = table[static_cast<size_t>(code)];
    if (std::isnan(golden)) {
      EXPECT_TRUE(std::isnan(value)) << code;
    } else {
      EXPECT_EQ(std::bit_cast<uint32_t>(value), std::bit_cast<uint32_t>(golden)) << code;
    }
  }
}

TEST(F8E4M3, EveryCodeComesBackFromItsValue) {
  for (int code = 0; code < 256; ++code) {
    const F8E4M3 stored{static_cast<uint8_t>(code)};
    EXPECT_EQ(ToF8E4M3(ToFloat(stored)), stored) << code;
  }
}

TEST(F8E4M3, GoldenActivationCodesAndScales) {
  const auto x = ReadGoldenNpy("ops/actquant_x.npy").As<float>();
  const auto codes = ReadGoldenNpy("ops/actquant_codes.npy").As<uint8_t>();
  const auto scales = ReadGoldenNpy("ops/actquant_scale.npy").As<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(ToF8E4M3(x[i] / scales[i / 128]).bits, codes[i]) << i;
  }
}

struct Rounded {
  float value;
  float expected;
};

TEST(F8E4M3, RoundsToNearestEvenAndSaturates) {
  const Rounded rows[] = {
      {448, 448},
      {464, 448},
      {465, 448},
      {1e30F, 448},
      {-1e30F, -448},
      {17, 16},  // a tie between 16 and 18: the even mantissa
      {19, 20},  // a tie between 18 and 20
      {17.1F, 18},
      {0x1p-9F, 0x1p-9F},
      {0x1p-10F, 0},         // a tie between zero and the smallest
      {0x1.8p-9F, 0x1p-8F},  // a tie between one and two times the smallest
      {0x1.1p-10F, 0x1p-9F},
      {0x1.fp-7F, 0x1p-6F},
      {kInfinity, 448},
  };
  for (const Rounded& row : rows)
    EXPECT_EQ(ToFloat(ToF8E4M3(row.value)), row.expected) << row.value;
  EXPECT_TRUE(std::isnan(ToFloat(ToF8E4M3(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_EQ(ToF8E4M3(-0.0F).bits, 0x80);
}

// A bfloat16 is the upper half of a float32.
TEST(Bf16, EveryCodeIsTheUpperHalfOfItsFloat) {
  for (uint32_t code = 0; code < 65536; ++code) {
    const Bf16 stored{static_cast<uint16_t>(code)};
    const float value = ToFloat(stored);
    ASSERT_EQ(std::bit_cast<uint32_t>(value), code << 16);
    if (std::isnan(value)) continue;
    ASSERT_EQ(ToBf16(value), stored) << code;
  }
}

TEST(Bf16, BetweenTwoCodesTheNearerIsTakenAndTiesGoToTheEven) {
  for (uint32_t code = 0; code < 0x7F7F; ++code) {
    const float below = std::bit_cast<float>((code << 16) | 0x7FFFU);
    const float middle = std::bit_cast<float>((code << 16) | 0x8000U);
    const float above = std::bit_cast<float>((code << 16) | 0x8001U);
    ASSERT_EQ(ToBf16(below).bits, code);
    ASSERT_EQ(ToBf16(middle).bits, code + code % 2);
    ASSERT_EQ(ToBf16(above).bits, code + 1);
    ASSERT_EQ(ToBf16(-middle).bits, 0x8000U | (code + code % 2));
  }
}

TEST(Bf16, EndsOfTheRange) {
  EXPECT_EQ(ToBf16(std::numeric_limits<float>::max()).bits, 0x7F80);
  EXPECT_EQ(ToBf16(-kInfinity).bits, 0xFF80);
  EXPECT_TRUE(std::isnan(ToFloat(ToBf16(std::bit_cast<float>(0x7F800001U)))));
  EXPECT_EQ(RoundToBf16(1.00390625F), 1);
}

// IEEE 754 binary16 by its definition, in float64.
double F16ByHand(uint32_t code) {
  const int exponent = static_cast<int>((code >> 10) & 31U);
  const double mantissa = code & 1023U;
  const double magnitude =
      exponent == 0 ? mantissa * 0x1p-24 : (1024 + mantissa) * std::exp2(exponent - 25);
  return (code & 0x8000U) != 0 ? -magnitude : magnitude;
}

TEST(F16, EveryCodeHasTheValueOfItsFieldsAndComesBack) {
  for (uint32_t code = 0; code < 65536; ++code) {
    const F16 stored{static_cast<uint16_t>(code)};
    const float value = ToFloat(stored);
    if ((code & 0x7C00U) == 0x7C00U) {
      ASSERT_EQ(std::isnan(value), (code & 1023U) != 0);
      ASSERT_EQ(std::isinf(ToFloat(ToF16(value))), std::isinf(value));
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), F16ByHand(code)) << code;
    ASSERT_EQ(std::signbit(value), (code & 0x8000U) != 0);
    ASSERT_EQ(ToF16(value), stored) << code;
  }
}

TEST(F16, BetweenTwoCodesTheNearerIsTakenAndTiesGoToTheEven) {
  for (uint32_t code = 0; code < 0x7BFF; ++code) {
    const auto middle = static_cast<float>((F16ByHand(code) + F16ByHand(code + 1)) / 2);
    ASSERT_EQ(ToF16(middle).bits, code + code % 2) << code;
    ASSERT_EQ(ToF16(std::nextafter(middle, 0.0F)).bits, code) << code;
    ASSERT_EQ(ToF16(std::nextafter(middle, kInfinity)).bits, code + 1) << code;
  }
}

TEST(F16, EndsOfTheRange) {
  EXPECT_EQ(ToF16(65504).bits, 0x7BFF);
  EXPECT_EQ(ToF16(65519).bits, 0x7BFF);
  EXPECT_EQ(ToF16(65520).bits, 0x7C00);
  EXPECT_EQ(ToF16(-1e30F).bits, 0xFC00);
  EXPECT_EQ(ToF16(0x1p-25F).bits, 0);  // a tie between zero and the smallest
  EXPECT_TRUE(std::isnan(ToFloat(ToF16(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace
}  // namespace fathom
