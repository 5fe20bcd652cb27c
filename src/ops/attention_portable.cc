#include "ops/attention_kernel.h"
#include "ops/vec_portable.h"

namespace fathom {

AttentionKernels AttentionKernelsPortable() { return AttentionKernel<VecPortable>::All(); }

}  // namespace fathom
