#include "model/step.h"

#include <cstdint>
#include <span>

#include "ops/rope.h"

namespace fathom {

void StepRotations::Fill(std::span<const int32_t> positions) {
  const auto tokens = static_cast<int64_t>(positions.size());
  const auto pairs = static_cast<int64_t>(frequencies_.inverse.size());
  cos_.Resize(tokens, pairs);
  sin_.Resize(tokens, pairs);
  RopeTables(positions, frequencies_.inverse, frequencies_.magnitude, cos_.view(), sin_.view());
}

}  // namespace fathom
