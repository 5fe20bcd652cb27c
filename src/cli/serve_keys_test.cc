#include "cli/serve_keys.h"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(ServeKeys, KnowsWhichHostsOtherMachinesReach) {
  for (const char* host : {"127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]"}) {
    EXPECT_TRUE(IsLoopback(host)) << host;
  }
  for (const char* host :
       {"0.0.0.0", "::", "10.0.0.127", "localhost.example", "::127.0.0.1", "127.example.org"}) {
    EXPECT_FALSE(IsLoopback(host)) << host;
  }
}

}  // namespace
}  // namespace fathom
