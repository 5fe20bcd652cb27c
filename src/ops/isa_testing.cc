#include "ops/isa_testing.h"

#include <gtest/gtest.h>

#include <string>

namespace fathom {

void IsaTest::SetUp() {
  if (!IsaAvailable(GetParam())) {
    GTEST_SKIP() << "this processor has no " << IsaName(GetParam());
  }
}

std::string IsaTestName(const testing::TestParamInfo<Isa>& info) {
  return std::string(IsaName(info.param));
}

}  // namespace fathom
