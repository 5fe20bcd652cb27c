#include "server/trace_parent.h"

#include <gtest/gtest.h>

#include <string>

namespace fathom {
namespace {

TEST(TraceParent, IsWhatTheStandardSays) {
  const std::string good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_TRUE(IsTraceParent(good));
  EXPECT_TRUE(IsTraceParent("01" + good.substr(2)));
  const std::string wrong[] = {
      "",
      good + "0",
      good.substr(1),
      "ff" + good.substr(2),
      "00_" + good.substr(3),
      "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00-0gf7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00-00000000000000000000000000000000-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
      "00-0af7651916cd43dd8448eb211c80319cb7ad6b7169203331--01",
      std::string(60000, 'a'),
  };
  for (const std::string& header : wrong) EXPECT_FALSE(IsTraceParent(header)) << header;
}

}  // namespace
}  // namespace fathom
