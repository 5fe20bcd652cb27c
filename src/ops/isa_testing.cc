#include "ops/isa_testing.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>

#include "ops/attention.h"
#include "ops/attention_kernel.h"
#include "ops/avx512_emulated_testing.h"
#include "ops/compute.h"
#include "ops/int8_rows.h"
#include "ops/mat_mul.h"
#include "ops/mat_mul_kernel.h"

namespace fathom {

void IsaTest::SetUp() {
  if (!IsaAvailable(isa())) GTEST_SKIP() << "this processor has no " << IsaName(isa());
}

Isa IsaTest::isa() const {
  if (GetParam() == TestIsa::kAvx2) return Isa::kAvx2;
  return GetParam() == TestIsa::kAvx512 ? Isa::kAvx512 : Isa::kPortable;
}

void IsaTest::RunMatMul(Compute compute, std::span<const MatMulTask> tasks) const {
  compute.isa = isa();
  Int8Rows int8_rows;
  compute.int8_rows = &int8_rows;
  if (GetParam() != TestIsa::kEmulatedAvx512) return MatMul(compute, tasks);
  MatMulWith(MatMulKernelsEmulatedAvx512(), compute, tasks);
}

void IsaTest::RunAttention(Compute compute, float scale,
                           std::span<const AttentionTask> tasks) const {
  compute.isa = isa();
  AttentionBuffers buffers;
  if (GetParam() != TestIsa::kEmulatedAvx512) return Attention(compute, scale, tasks, buffers);
  AttentionWith(AttentionKernelsEmulatedAvx512(), compute, scale, tasks, buffers);
}

std::string IsaTestName(const testing::TestParamInfo<TestIsa>& info) {
  constexpr const char* kNames[] = {"portable", "avx2", "avx512", "avx512_emulated"};
  return kNames[static_cast<size_t>(info.param)];
}

}  // namespace fathom
