#ifndef FATHOM_OPS_AVX512_EMULATED_TESTING_H_
#define FATHOM_OPS_AVX512_EMULATED_TESTING_H_

#include <cstdint>

#include "ops/attention_kernel.h"
#include "ops/mat_mul_kernel.h"

namespace fathom {

// The AVX-512 kernels against an emulation of the instructions.
MatMulKernels MatMulKernelsEmulatedAvx512();
AttentionKernels AttentionKernelsEmulatedAvx512();
void SiluMulEmulatedAvx512(const float* gate, const float* up, int64_t count, float* out);

}  // namespace fathom

#endif  // FATHOM_OPS_AVX512_EMULATED_TESTING_H_
