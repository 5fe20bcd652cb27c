#ifndef FATHOM_OPS_ISA_TESTING_H_
#define FATHOM_OPS_ISA_TESTING_H_

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "ops/attention.h"
#include "ops/compute.h"
#include "ops/mat_mul.h"

namespace fathom {

// What a test of kernels runs on. kEmulatedAvx512 is the source of the AVX-512 kernels compiled
// against an emulation of its instructions.
enum class TestIsa { kPortable, kAvx2, kAvx512, kEmulatedAvx512 };

// A test that runs on every instruction set; it is skipped where the processor lacks one.
class IsaTest : public testing::TestWithParam<TestIsa> {
 protected:
  void SetUp() override;

  // For operators without kernels of their own; the emulation counts as portable.
  Isa isa() const;
  void RunMatMul(Compute compute, std::span<const MatMulTask> tasks) const;
  void RunAttention(Compute compute, float scale, std::span<const AttentionTask> tasks) const;
};

// Readable names for INSTANTIATE_TEST_SUITE_P: "portable", "avx2", "avx512", "avx512_emulated".
std::string IsaTestName(const testing::TestParamInfo<TestIsa>& info);

}  // namespace fathom

#define FATHOM_TEST_ON_EVERY_ISA(Suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(Isas, Suite,                                                          \
                           testing::Values(TestIsa::kPortable, TestIsa::kAvx2, TestIsa::kAvx512, \
                                           TestIsa::kEmulatedAvx512),                            \
                           IsaTestName)

#endif  // FATHOM_OPS_ISA_TESTING_H_
