#ifndef FATHOM_OPS_ISA_TESTING_H_
#define FATHOM_OPS_ISA_TESTING_H_

#include <gtest/gtest.h>

#include "ops/compute.h"

namespace fathom {

// A test that runs on every instruction set; it is skipped where the processor lacks one.
class IsaTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override;
};

// Readable names for INSTANTIATE_TEST_SUITE_P: "portable", "avx2", "avx512".
std::string IsaTestName(const testing::TestParamInfo<Isa>& info);

}  // namespace fathom

#define FATHOM_TEST_ON_EVERY_ISA(Suite)                                                     \
  INSTANTIATE_TEST_SUITE_P(Isas, Suite,                                                     \
                           testing::Values(Isa::kPortable, Isa::kAvx2, Isa::kAvx512),       \
                           IsaTestName)

#endif  // FATHOM_OPS_ISA_TESTING_H_
