#include "ops/mat_mul_kernel.h"
#include "ops/vec_portable.h"

namespace fathom {

void MatMulStripPortable(const MatMulStrip& strip) { RunStrip<VecPortable>(strip); }

}  // namespace fathom
