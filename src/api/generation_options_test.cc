#include "api/generation_options.h"

#include <gtest/gtest.h>

#include "spec/sampling.h"

namespace fathom {
namespace {

TEST(GenerationOptions, ADefaultMustBeWhatARequestMayAskFor) {
  SamplingChoice defaults;
  EXPECT_TRUE(CheckDefaults(defaults, "g.json").ok());
  defaults.temperature = 2;
  defaults.top_p = 1;
  EXPECT_TRUE(CheckDefaults(defaults, "g.json").ok());
  defaults.top_p = 0;
  EXPECT_EQ(CheckDefaults(defaults, "g.json").error().ToString(),
            "error: top_p is 0, and requests have a number above 0, at most 1\n"
            "  where: g.json: /top_p\n  fix: set it to a value of that range, or take it out\n");
  defaults.temperature = 9;
  EXPECT_EQ(
      CheckDefaults(defaults, "g.json").error().ToString(),
      "error: temperature is 9, and requests have a number from 0 to 2\n"
      "  where: g.json: /temperature\n  fix: set it to a value of that range, or take it out\n");
}

}  // namespace
}  // namespace fathom
