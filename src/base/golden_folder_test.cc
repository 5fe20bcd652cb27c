#include <gtest/gtest.h>
#include <stdlib.h>

#include <optional>
#include <string>

#include "base/golden_folder_testing.h"

namespace fathom {
namespace {

TEST(GoldenFolder, AnEmptyVariableIsNone) {
  const std::optional<std::string> before = FullGoldenFolder();
  setenv("FATHOM_GOLDEN", "", 1);
  EXPECT_EQ(FullGoldenFolder(), std::nullopt);
  EXPECT_EQ(GoldenFolder(), "tests/golden");
  setenv("FATHOM_GOLDEN", "/data/golden", 1);
  EXPECT_EQ(GoldenFolder(), "/data/golden");
  unsetenv("FATHOM_GOLDEN");
  EXPECT_EQ(FullGoldenFolder(), std::nullopt);
  if (before) setenv("FATHOM_GOLDEN", before->c_str(), 1);
}

}  // namespace
}  // namespace fathom
