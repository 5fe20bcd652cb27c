#ifndef FATHOM_BASE_MATH_H_
#define FATHOM_BASE_MATH_H_

#include <cstdint>

namespace fathom {

// How many pieces of `size` hold `value`: the quotient rounded up. value >= 0, size > 0.
constexpr int64_t CeilDiv(int64_t value, int64_t size) { return (value + size - 1) / size; }

}  // namespace fathom

#endif  // FATHOM_BASE_MATH_H_
