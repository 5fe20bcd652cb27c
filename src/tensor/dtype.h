#ifndef FATHOM_TENSOR_DTYPE_H_
#define FATHOM_TENSOR_DTYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom {

// Element types of checkpoints, named as safetensors names them.
enum class DType { kF32, kF16, kBF16, kF8E4M3, kI8, kI32, kI64 };

// "F32", "F16", "BF16", "F8_E4M3", "I8", "I32", "I64".
std::string_view DTypeName(DType dtype);
std::optional<DType> ParseDType(std::string_view name);
int64_t DTypeBytes(DType dtype);
bool IsFloat(DType dtype);

// Codes as they lie in memory, as distinct types, so that views say what they hold.
struct Bf16 {
  uint16_t bits;
  friend bool operator==(Bf16, Bf16) = default;
};
struct F16 {
  uint16_t bits;
  friend bool operator==(F16, F16) = default;
};
struct F8E4M3 {
  uint8_t bits;
  friend bool operator==(F8E4M3, F8E4M3) = default;
};

}  // namespace fathom

#endif  // FATHOM_TENSOR_DTYPE_H_
