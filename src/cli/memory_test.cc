#include "cli/memory.h"

#include <gtest/gtest.h>

#include <optional>

namespace fathom {
namespace {

TEST(ParseMemAvailable, ReadsWhatTheKernelCallsAvailable) {
  EXPECT_EQ(
      ParseMemAvailable("MemTotal:       24000 kB\nMemFree:  10 kB\nMemAvailable:   12345 kB\n"),
      12345 * 1024);
  EXPECT_EQ(ParseMemAvailable("MemTotal: 24000 kB\n"), std::nullopt);
  EXPECT_EQ(ParseMemAvailable("MemAvailable: many\n"), std::nullopt);
  EXPECT_EQ(ParseMemAvailable(""), std::nullopt);
}

TEST(AvailableMemory, IsSomething) { EXPECT_GT(AvailableMemory(), 0); }

}  // namespace
}  // namespace fathom
