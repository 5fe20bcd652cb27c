// What a server meets in the open: crowds, and clients that are broken or hostile. Each test ends
// with a server that still answers.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "net/http_message.h"
#include "net/many_streams_testing.h"
#include "net/raw_client_testing.h"
#include "server/hostile_bodies_testing.h"
#include "server/server.h"
#include "server/test_server_testing.h"

namespace fathom {
namespace {

Json Chat(std::string_view text, int64_t max_tokens) {
  const Json message = Json::MakeObject({{"role", "user"}, {"content", text}});
  return Json::MakeObject({{"messages", Json::Array{message}},
                           {"max_tokens", max_tokens},
                           {"ignore_eos", true},
                           {"stream", true}});
}

void ExpectAlive(const TestServer& server) {
  server.AwaitIdle();
  EXPECT_EQ(server.Get("/health").status, 200);
  EXPECT_EQ(server.Post("/v1/completions", Json::MakeObject({{"prompt", "hello"}})).status, 200);
}

// The body's JSON has an error with a message.
bool TellsAnError(const std::string& body) {
  const auto json = ParseJson(body, "answer");
  if (!json.ok() || json->Find("error") == nullptr) return false;
  const Json* message = json->Find("error")->Find("message");
  return message != nullptr && message->is_string() && !message->as_string().empty();
}

TEST(ServerLoad, AThousandStreamsAreAnsweredOrRefused) {
  TestServer server({.server = {.serving = {.max_queue = 800}},
                     .scheduler = {.blocks = 512, .block_tokens = 16, .max_sequences = 64}});
  const std::string request = ClosingPost("/v1/chat/completions", Chat("hello", 8).Dump());
  const ManyAnswers answers = ReadManyAnswers(server.server().port(), request, 1000);
  int whole = 0;
  int refused = 0;
  for (size_t i = 0; i < answers.heads.size(); ++i) {
    const std::string& head = answers.heads[i];
    if (head.starts_with("HTTP/1.1 200") && answers.tails[i].find("[DONE]") != std::string::npos) {
      ++whole;
    } else if (head.starts_with("HTTP/1.1 429") &&
               head.find("Retry-After: ") != std::string::npos &&
               head.find("\"rate_limit_error\"") != std::string::npos) {
      ++refused;
    } else {
      ADD_FAILURE() << head;
    }
  }
  EXPECT_EQ(whole + refused, 1000);
  EXPECT_GE(whole, 864);
  ExpectAlive(server);
}

TEST(ServerLoad, TwoHundredClientsThatVanishLeaveNothingBehind) {
  TestServer server;
  std::vector<std::thread> clients;
  clients.reserve(200);
  for (int i = 0; i < 200; ++i) {
    clients.emplace_back([&server, i] {
      Json request = Json::MakeObject({{"prompt", Format("hello {}", i)},
                                       {"max_tokens", 400},
                                       {"ignore_eos", true},
                                       {"stream", true}});
      const auto client = PostCompletion(server, request.Dump());
      if (i % 2 == 0) client->ReadUntil("data: ");
      client->Reset();
    });
  }
  for (std::thread& client : clients) client.join();
  ExpectAlive(server);
  const std::string metrics = server.Get("/metrics").body;
  for (const char* name : {"num_requests_running", "num_requests_waiting", "kv_cache_usage_perc"}) {
    const std::string line = Format("\nvllm:{}{{model_name=\"tiny\",engine=\"0\"}} 0\n", name);
    EXPECT_NE(metrics.find(line), std::string::npos) << line << metrics;
  }
}

TEST(ServerLoad, HostileBodiesAreRefusedWithAReason) {
  TestServer server(kSmallBodies);
  for (const HostileBody& hostile : HostileBodies()) {
    const RawClient::Answer answer = PostCompletion(server, hostile.body)->ReadAnswer();
    EXPECT_EQ(answer.status(), hostile.status) << hostile.name << ": " << answer.body;
    EXPECT_TRUE(TellsAnError(answer.body)) << hostile.name << ": " << answer.body;
  }
  ExpectAlive(server);
}

// By its bytes: its tokens are not counted first.
TEST(ServerLoad, APromptThatCanNeverFitIsRefusedBeforeItIsTokenized) {
  TestServer server;
  const HttpResponse refused =
      server.Post("/v1/completions", Json::MakeObject({{"prompt", std::string(5 << 20, 'a')}}));
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("your prompt has 5242880 bytes, which are at least 655360 tokens"),
            std::string::npos)
      << refused.body;
  const HttpResponse cut =
      server.Post("/v1/completions", Json::MakeObject({{"prompt", std::string(10000, 'a')},
                                                       {"truncate_prompt_tokens", 100},
                                                       {"max_tokens", 1}}));
  EXPECT_EQ(cut.status, 200) << cut.body;
  ExpectAlive(server);
}

// Allocated bytes: those of the process rise and fall with what the allocator keeps.
int64_t AllocatedBytes() {
  const auto info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// The forms that take most for each of their values. While a list or an object grows it takes half
// as much again as what is measured here at most.
TEST(ServerLoad, WhatABodyIsReadIntoIsBoundedByItsValues) {
  if (AllocatedBytes() == 0) GTEST_SKIP() << "this build has an allocator of its own";
  constexpr int kItems = (1 << 16) + 1;  // just behind a doubling
  const auto repeated = [](const std::string& item) {
    std::string text = item;
    for (int i = 1; i < kItems; ++i) text += "," + item;
    return "[" + text + "]";
  };
  std::string members = "{\"0\":0";
  for (int i = 1; i < kItems; ++i) members += Format(",\"{}\":0", i);
  const struct {
    std::string text;
    int values;  // of each item
  } rows[] = {{repeated("[]"), 1},
              {repeated("[0]"), 2},
              {repeated("{\"\":0}"), 2},
              {members + "}", 1},
              {repeated("[[[[0]]]]"), 5}};
  for (const auto& row : rows) {
    const int64_t before = AllocatedBytes();
    const Result<Json> json = ParseJson(row.text, "body");
    const int64_t taken = AllocatedBytes() - before;
    ASSERT_TRUE(json.ok());
    const auto most = static_cast<int64_t>(kMostBytesOfValue) * row.values * kItems;
    EXPECT_LT(taken * 3 / 2, most) << row.text.substr(0, 20);
    EXPECT_GT(taken, most / 8) << "it is not measured";
  }
}

TEST(ServerLoad, AbuseLeavesNoMemoryBehind) {
  if (AllocatedBytes() == 0) GTEST_SKIP() << "this build has an allocator of its own";
  TestServer server(kSmallBodies);
  const std::vector<HostileBody> bodies = HostileBodies();
  int64_t after_two = 0;
  int64_t after_six = 0;
  for (int round = 1; round <= 6; ++round) {
    for (const HostileBody& hostile : bodies) PostCompletion(server, hostile.body)->ReadAnswer();
    for (int i = 0; i < 20; ++i) {
      const std::string endless = R"({"prompt":"hello","max_tokens":400,"stream":true})";
      PostCompletion(server, endless)->Reset();
    }
    ExpectAlive(server);
    while (server.server().open_connections() > 0) std::this_thread::yield();
    if (round == 2) after_two = AllocatedBytes();
    after_six = AllocatedBytes();
  }
  EXPECT_LT(after_six - after_two, 1 << 20);
}

TEST(ServerLoad, WhoDoesNotReadIsDroppedAndStallsNobody) {
  TestServer server({.server = {.http = {.write_buffer_bytes = 64 << 10}},
                     .scheduler = {.blocks = 4096, .block_tokens = 16, .max_sequences = 16},
                     .max_model_len = 60000,
                     .null_model = true});
  RawClient silent(server.server().port());
  const std::string body = Chat("hello", 50000).Dump();
  silent.Send(
      Format("POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{}",
             body.size(), body));
  const ManyAnswers answers = ReadManyAnswers(
      server.server().port(), ClosingPost("/v1/chat/completions", Chat("hello", 16).Dump()), 16);
  for (const std::string& tail : answers.tails) {
    EXPECT_NE(tail.find("[DONE]"), std::string::npos);
  }
  server.AwaitIdle();
  EXPECT_NE(
      server.Get("/metrics")
          .body.find("fathom:http_dropped_readers_total{model_name=\"tiny\",engine=\"0\"} 1\n"),
      std::string::npos);
  ExpectAlive(server);
}

}  // namespace
}  // namespace fathom
