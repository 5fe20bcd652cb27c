#include "tensor/non_finite.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "base/check.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

// A non-finite number has all bits of its exponent set; of E4M3FN, all but the sign. Adding the
// lowest of these bits then carries into the bit above them. Eight bytes are tested at once.
struct NonFiniteTest {
  uint64_t mask;
  uint64_t carry;
  uint64_t overflow;
};

NonFiniteTest TestOf(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return {0x7F80'0000'7F80'0000, 0x0080'0000'0080'0000, 0x8000'0000'8000'0000};
    case DType::kF16:
      return {0x7C00'7C00'7C00'7C00, 0x0400'0400'0400'0400, 0x8000'8000'8000'8000};
    case DType::kBF16:
      return {0x7F80'7F80'7F80'7F80, 0x0080'0080'0080'0080, 0x8000'8000'8000'8000};
    default:
      FATHOM_CHECK(dtype == DType::kF8E4M3);
      return {0x7F7F'7F7F'7F7F'7F7F, 0x0101'0101'0101'0101, 0x8080'8080'8080'8080};
  }
}

}  // namespace

std::optional<int64_t> FindNonFinite(DType dtype, std::span<const std::byte> codes) {
  const NonFiniteTest test = TestOf(dtype);
  const size_t size = codes.size();
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    uint64_t word = 0;  // zeros beyond the end are finite
    std::memcpy(&word, codes.data() + i, std::min(sizeof(word), size - i));
    const uint64_t found = ((word & test.mask) + test.carry) & test.overflow;
    if (found == 0) continue;
    const auto byte = i + static_cast<size_t>(std::countr_zero(found)) / 8;
    return static_cast<int64_t>(byte) / DTypeBytes(dtype);
  }
  return std::nullopt;
}

}  // namespace fathom
