#include "ops/attention_kernel.h"
#include "ops/vec_avx512.h"

namespace fathom {

AttentionKernels AttentionKernelsAvx512() { return AttentionKernel<VecAvx512>::All(); }

}  // namespace fathom
