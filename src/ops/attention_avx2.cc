#include "ops/attention_kernel.h"
#include "ops/vec_avx2.h"

namespace fathom {

AttentionKernels AttentionKernelsAvx2() { return AttentionKernel<VecAvx2>::All(); }

}  // namespace fathom
