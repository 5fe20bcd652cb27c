#include "ops/compute.h"

#include <gtest/gtest.h>

#include <string>

#include "base/result.h"

namespace fathom {
namespace {

TEST(ChooseIsa, TakesTheNamedOneWhereItRuns) {
  for (const Isa isa : {Isa::kPortable, Isa::kAvx2, Isa::kAvx512}) {
    const Result<Isa> chosen = ChooseIsa(IsaName(isa));
    EXPECT_EQ(chosen.ok(), IsaAvailable(isa));
    if (chosen.ok()) {
      EXPECT_EQ(*chosen, isa);
      continue;
    }
    EXPECT_EQ(chosen.error().what,
              "this processor cannot run the " + std::string(IsaName(isa)) + " kernels");
    EXPECT_EQ(chosen.error().where, "FATHOM_ISA");
    EXPECT_EQ(chosen.error().kind, ErrorKind::kBadInput);
  }
}

TEST(ChooseIsa, TakesTheBestWhenNoneIsNamed) {
  Isa best = Isa::kPortable;
  if (IsaAvailable(Isa::kAvx2)) best = Isa::kAvx2;
  if (IsaAvailable(Isa::kAvx512)) best = Isa::kAvx512;
  EXPECT_EQ(*ChooseIsa(""), best);
}

TEST(ChooseIsa, RefusesUnknownNames) {
  const Result<Isa> chosen = ChooseIsa("sse9");
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().what, "unknown instruction set \"sse9\"");
  EXPECT_EQ(chosen.error().where, "FATHOM_ISA");
  EXPECT_EQ(chosen.error().fix,
            "use portable, avx2 or avx512, or leave it empty for the best available");
  EXPECT_EQ(chosen.error().kind, ErrorKind::kBadInput);
}

TEST(IsaAvailable, PortableRunsEverywhere) { EXPECT_TRUE(IsaAvailable(Isa::kPortable)); }

}  // namespace
}  // namespace fathom
