#ifndef FATHOM_TENSOR_FLOAT_CODEC_H_
#define FATHOM_TENSOR_FLOAT_CODEC_H_

#include <cstddef>
#include <span>

#include "base/check.h"
#include "tensor/dtype.h"

namespace fathom {

// Exact decodings. NaN codes decode to NaN.
float ToFloat(Bf16 value);
float ToFloat(F16 value);  // IEEE 754 binary16, subnormals included
float ToFloat(
    F8E4M3 value);  // E4M3FN: no infinities, 0x7F and 0xFF are NaN, largest 448, smallest 2^-9
inline float ToFloat(float value) { return value; }

// The same of many codes of a type (F32, F16, BF16 or F8_E4M3; CHECK), which may have any
// alignment.
void ToFloats(DType dtype, std::span<const std::byte> codes, std::span<float> values);

// Encodings round to nearest, ties to even. Overflow: BF16 and F16 give infinity, E4M3 saturates at
// 448.
Bf16 ToBf16(float value);
F16 ToF16(float value);
F8E4M3 ToF8E4M3(float value);

// The value after a trip through bfloat16.
inline float RoundToBf16(float value) { return ToFloat(ToBf16(value)); }

// Calls visit with a code of the type that `dtype` (F32, F16, BF16 or F8_E4M3; CHECK) has in
// memory, so that loops over codes are written once.
template <typename Visit>
auto VisitFloatType(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::kF32:
      return visit(float{});
    case DType::kF16:
      return visit(F16{});
    case DType::kBF16:
      return visit(Bf16{});
    default:
      FATHOM_CHECK(dtype == DType::kF8E4M3);
      return visit(F8E4M3{});
  }
}

}  // namespace fathom

#endif  // FATHOM_TENSOR_FLOAT_CODEC_H_
