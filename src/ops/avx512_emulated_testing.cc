#include "ops/avx512_emulated_testing.h"

#include "ops/attention_kernel.h"
#include "ops/elementwise_kernel.h"
#include "ops/int8_kernel.h"
#include "ops/mat_mul_kernel.h"

// The emulation first: it takes the place of the intrinsics that vec_avx512.h would include.
#include "ops/avx512_simde_testing.h"
#include "ops/int8_avx512.h"
#include "ops/vec_avx512.h"

namespace fathom {

MatMulKernels MatMulKernelsEmulatedAvx512() {
  return {RunStrip<VecAvx512>, {Int8StripKernel<Int8Avx512>::Run, Int8Avx512::kForm}};
}
AttentionKernels AttentionKernelsEmulatedAvx512() { return AttentionKernel<VecAvx512>::All(); }
void SiluMulEmulatedAvx512(const float* gate, const float* up, int64_t count, float* out) {
  SiluMulRow<VecAvx512>(gate, up, count, out);
}

}  // namespace fathom
