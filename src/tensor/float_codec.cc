#include "tensor/float_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "base/check.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

// A small float with `exponent_bits` and `mantissa_bits`, decoded without its sign. Every such
// value is exact in float32.
float DecodeMagnitude(uint32_t exponent, uint32_t mantissa, int mantissa_bits, int bias) {
  const auto fraction = static_cast<float>(mantissa);
  if (exponent == 0) return std::ldexp(fraction, 1 - bias - mantissa_bits);
  const auto whole = static_cast<float>((1U << mantissa_bits) + mantissa);
  return std::ldexp(whole, static_cast<int>(exponent) - bias - mantissa_bits);
}

// Rounds |value| to a multiple of its unit in the last place for a format whose smallest normal
// exponent is `min_exponent`. The default rounding mode of the C library is nearest even.
float RoundToFormat(float magnitude, int mantissa_bits, int min_exponent) {
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = f * 2^exponent, f in [0.5, 1)
  const int unit = std::max(exponent - 1, min_exponent) - mantissa_bits;
  return std::ldexp(std::nearbyint(std::ldexp(magnitude, -unit)), unit);
}

// The code of a magnitude that RoundToFormat returned.
uint32_t EncodeMagnitude(float magnitude, int mantissa_bits, int bias) {
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  if (magnitude == 0) return 0;
  const int field = exponent - 1 + bias;
  if (field <= 0) return static_cast<uint32_t>(std::ldexp(magnitude, bias - 1 + mantissa_bits));
  const auto mantissa = static_cast<uint32_t>(std::ldexp(magnitude, mantissa_bits + 1 - exponent));
  return (static_cast<uint32_t>(field) << mantissa_bits) | (mantissa & ((1U << mantissa_bits) - 1));
}

}  // namespace

float ToFloat(Bf16 value) { return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16); }

float ToFloat(F16 value) {
  const uint32_t exponent = (value.bits >> 10) & 31U;
  const uint32_t mantissa = value.bits & 1023U;
  float magnitude = DecodeMagnitude(exponent, mantissa, 10, 15);
  if (exponent == 31) {
    magnitude = mantissa == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
  }
  return (value.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

float ToFloat(F8E4M3 value) {
  const uint32_t code = value.bits & 0x7FU;
  const float magnitude = code == 0x7F ? std::numeric_limits<float>::quiet_NaN()
                                       : DecodeMagnitude(code >> 3, code & 7U, 3, 7);
  return (value.bits & 0x80U) != 0 ? -magnitude : magnitude;
}

namespace {

template <typename T>
T CodeAt(std::span<const std::byte> codes, size_t index) {
  T code;
  std::memcpy(&code, codes.data() + index * sizeof(T), sizeof(T));
  return code;
}

const std::array<float, 256>& ValuesOfF8() {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> table{};
    for (size_t i = 0; i < table.size(); ++i) table[i] = ToFloat(F8E4M3{static_cast<uint8_t>(i)});
    return table;
  }();
  return values;
}

}  // namespace

void ToFloats(DType dtype, std::span<const std::byte> codes, std::span<float> values) {
  FATHOM_CHECK(codes.size() == values.size() * static_cast<size_t>(DTypeBytes(dtype)));
  if (dtype == DType::kF8E4M3) {
    const std::array<float, 256>& table = ValuesOfF8();
    for (size_t i = 0; i < values.size(); ++i) values[i] = table[static_cast<uint8_t>(codes[i])];
    return;
  }
  if (dtype == DType::kBF16) {
    for (size_t i = 0; i < values.size(); ++i) {
      const uint32_t bits = CodeAt<uint16_t>(codes, i);
      values[i] = std::bit_cast<float>(bits << 16);
    }
    return;
  }
  VisitFloatType(dtype, [&]<typename T>(T) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = ToFloat(CodeAt<T>(codes, i));
  });
}

Bf16 ToBf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return {static_cast<uint16_t>((bits >> 16) | 0x40U)};
  return {static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16)};
}

F16 ToF16(float value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000U : 0U);
  if (std::isnan(value)) return {static_cast<uint16_t>(sign | 0x7E00U)};
  const float rounded = RoundToFormat(std::min(std::abs(value), 131072.0F), 10, -14);
  if (rounded > 65504.0F) return {static_cast<uint16_t>(sign | 0x7C00U)};
  return {static_cast<uint16_t>(sign | EncodeMagnitude(rounded, 10, 15))};
}

F8E4M3 ToF8E4M3(float value) {
  const auto sign = static_cast<uint8_t>(std::signbit(value) ? 0x80U : 0U);
  if (std::isnan(value)) return {static_cast<uint8_t>(sign | 0x7FU)};
  const float rounded = RoundToFormat(std::min(std::abs(value), 448.0F), 3, -6);
  return {static_cast<uint8_t>(sign | EncodeMagnitude(rounded, 3, 7))};
}

}  // namespace fathom
