#include <cstdint>

#include "ops/elementwise_kernel.h"
#include "ops/vec_avx512.h"

namespace fathom {

void SiluMulAvx512(const float* gate, const float* up, int64_t count, float* out) {
  SiluMulRow<VecAvx512>(gate, up, count, out);
}

}  // namespace fathom
