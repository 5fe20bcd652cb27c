// What becomes of requests when the server is told to end.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "net/http_message.h"
#include "net/raw_client_testing.h"
#include "server/server.h"
#include "server/test_server_testing.h"

namespace fathom {
namespace {

TEST(ServerDrain, DrainingAnswersWhatRunsAndRefusesWhatComes) {
  TestServer server;
  server.Pause();
  HttpResponse running;
  std::thread client([&] { running = server.Post("/v1/chat/completions", Chat("hello")); });
  while (!HasMetric(server, "vllm:request_params_n_count", 1)) std::this_thread::yield();
  std::thread drain([&] { EXPECT_TRUE(server.server().Drain(100, [] { return false; })); });
  while (server.Get("/health").status == 200) std::this_thread::yield();
  const HttpResponse refused = server.Post("/v1/chat/completions", Chat("hello"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(At(Parse(refused.body), {"error", "code"}), Json("draining"));
  server.Resume();
  client.join();
  drain.join();
  EXPECT_EQ(running.status, 200);
}

// What nobody has tokenized yet was taken all the same.
TEST(ServerDrain, DrainingWaitsForRequestsThatAreStillBeingPrepared) {
  std::atomic<bool> holding = false;
  std::promise<void> held;
  std::promise<void> go;
  TestServer server({.server = {.serving = {.prepare_threads = 1}}, .before_log = [&] {
                       if (holding.exchange(true)) return;
                       held.set_value();
                       go.get_future().wait();
                     }});
  Json request = Chat("hello");
  request.Set("hold", true);  // it is logged that nobody knows this field
  HttpResponse answer;
  std::thread client([&] { answer = server.Post("/v1/chat/completions", request); });
  held.get_future().wait();
  EXPECT_EQ(server.server().open(), 1);
  bool waited = false;
  EXPECT_TRUE(server.server().Drain(100, [&] {
    if (!std::exchange(waited, true)) go.set_value();
    return false;
  }));
  if (!waited) go.set_value();
  client.join();
  EXPECT_TRUE(waited);
  EXPECT_EQ(answer.status, 200) << answer.body;
}

// More than what the system keeps for a connection, of which nobody has read a byte.
TEST(ServerDrain, DrainingWaitsForClientsThatStillRead) {
  TestServer server;
  std::string prompt;
  while (prompt.size() < (3U << 20)) prompt += "a b c ";
  const std::string body =
      Json::MakeObject({{"prompt", prompt}, {"return_token_strs", true}}).Dump();
  RawClient client(server.server().port());
  client.Send(Format("POST /tokenize HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{}",
                     body.size(), body));
  while (!client.HasInput()) std::this_thread::yield();
  std::optional<std::thread> reader;
  RawClient::Answer answer;
  EXPECT_TRUE(server.server().Drain(100, [&] {
    if (!reader) reader.emplace([&] { answer = client.ReadAnswer(); });
    return false;
  }));
  ASSERT_TRUE(reader.has_value()) << "nothing was left to read";
  reader->join();
  EXPECT_EQ(answer.status(), 200);
  EXPECT_TRUE(answer.body.ends_with("}")) << answer.body.size() << " bytes";
}

TEST(ServerDrain, WhatRunsTooLongIsEndedWithAnError) {
  TestServer server({.max_model_len = 8192});
  server.PauseAfter(3);
  std::vector<std::string> events;
  Json endless = Chat("hello", 8000);
  endless.Set("ignore_eos", true);
  std::thread client([&] { events = server.Stream("/v1/chat/completions", endless); });
  while (!HasMetric(server, "vllm:generation_tokens_total", 3)) std::this_thread::yield();
  EXPECT_FALSE(server.server().Drain(0, [] { return true; }));
  client.join();
  ASSERT_GE(events.size(), 2U);
  EXPECT_EQ(events.back(), "[DONE]");
  EXPECT_EQ(At(Parse(events[events.size() - 2]), {"error", "code"}), Json("draining"));
}

}  // namespace
}  // namespace fathom
