#include "api/field_visitor.h"

#include <cstdint>
#include <limits>
#include <string>

#include "base/format.h"

namespace fathom {

std::string NumberRange::Describe() const {
  return above_low ? Format("a number above {}, at most {}", low, high)
                   : Format("a number from {} to {}", low, high);
}

std::string IntRange::Describe() const {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (low == kLeast && high == kMost) return "a 64-bit integer";
  if (high == kMost) return Format("an integer from {}", low);
  return Format("an integer from {} to {}", low, high);
}

}  // namespace fathom
