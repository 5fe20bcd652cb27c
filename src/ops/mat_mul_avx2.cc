#include "ops/mat_mul_kernel.h"
#include "ops/vec_avx2.h"

namespace fathom {

void MatMulStripAvx2(const MatMulStrip& strip) { RunStrip<VecAvx2>(strip); }

}  // namespace fathom
