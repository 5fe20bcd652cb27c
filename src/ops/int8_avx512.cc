#include "ops/int8_avx512.h"

#include "ops/int8_kernel.h"

namespace fathom {

Int8Kernel Int8KernelAvx512() { return {Int8StripKernel<Int8Avx512>::Run, Int8Avx512::kForm}; }

}  // namespace fathom
