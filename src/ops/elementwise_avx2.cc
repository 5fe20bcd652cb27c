#include <cstdint>

#include "ops/elementwise_kernel.h"
#include "ops/vec_avx2.h"

namespace fathom {

void SiluMulAvx2(const float* gate, const float* up, int64_t count, float* out) {
  SiluMulRow<VecAvx2>(gate, up, count, out);
}

}  // namespace fathom
