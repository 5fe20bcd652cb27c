#include <cstdint>

#include "ops/elementwise_kernel.h"
#include "ops/vec_portable.h"

namespace fathom {

void SiluMulPortable(const float* gate, const float* up, int64_t count, float* out) {
  SiluMulRow<VecPortable>(gate, up, count, out);
}

}  // namespace fathom
