#include "ops/mat_mul_kernel.h"
#include "ops/vec_avx512.h"

namespace fathom {

void MatMulStripAvx512(const MatMulStrip& strip) { RunStrip<VecAvx512>(strip); }

}  // namespace fathom
