#ifndef FATHOM_TENSOR_NON_FINITE_H_
#define FATHOM_TENSOR_NON_FINITE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tensor/dtype.h"

namespace fathom {

// The index of the first code that is not a finite number (infinity or NaN), if any. Codes as in a
// checkpoint, little-endian, of F32, F16, BF16 or F8_E4M3 (CHECK).
std::optional<int64_t> FindNonFinite(DType dtype, std::span<const std::byte> codes);

}  // namespace fathom

#endif  // FATHOM_TENSOR_NON_FINITE_H_
