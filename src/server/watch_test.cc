// What the server says of itself without being asked.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>

#include "server/test_server_testing.h"

namespace fathom {
namespace {

void AwaitLog(TestServer& server, std::string_view text) {
  while (server.log().find(text) == std::string::npos) std::this_thread::yield();
}

TEST(Watch, SaysWhichStepIsStuckAndWhenItMovesOn) {
  TestServer server({.server = {.step_timeout_s = 0.001}});
  server.Pause();
  std::thread client([&] { server.Post("/v1/chat/completions", Chat("hello", 2)); });
  AwaitLog(server, "expected at most 0.001 s (step 1)");
  server.LetStep();
  AwaitLog(server, R"("event":"unstuck","step":1)");
  AwaitLog(server, "expected at most 0.001 s (step 2)");
  server.Resume();
  AwaitLog(server, R"("event":"unstuck","step":2)");
  client.join();
}

TEST(Watch, MetricsHaveTheSizeOfTheCacheFromTheStart) {
  const TestServer server;
  const std::string metrics = server.Get("/metrics").body;
  EXPECT_NE(metrics.find("block_size=\"16\",num_gpu_blocks=\"512\"} 1\n"), std::string::npos)
      << metrics;
}

}  // namespace
}  // namespace fathom
