#ifndef FATHOM_OPS_WEIGHTS_TESTING_H_
#define FATHOM_OPS_WEIGHTS_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/packed_matrix.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {

// A stored weight that owns its memory.
struct OwnedWeight {
  std::vector<std::byte> codes;
  std::vector<float> scales;
  StoredWeight stored;  // its views point into the two above

  OwnedWeight() = default;
  OwnedWeight(OwnedWeight&&) = default;
  OwnedWeight& operator=(OwnedWeight&&) = default;
};

// Normally distributed values (FP8: any code but NaN, with a grid of scales), the same for a seed.
OwnedWeight RandomWeight(DType dtype, int64_t rows, int64_t cols, uint32_t seed);

// Normally distributed activations; `bfloat16` rounds them.
Matrix<float> RandomActivations(int64_t rows, int64_t cols, uint32_t seed, bool bfloat16 = false);

}  // namespace fathom

#endif  // FATHOM_OPS_WEIGHTS_TESTING_H_
