#include "ops/mat_mul_kernel.h"
#include "ops/vec_avx2.h"

namespace fathom {

void MatMulStripAvx2(const MatMulStrip& strip) { MatMulKernel<VecAvx2>::Run(strip); }

}  // namespace fathom
