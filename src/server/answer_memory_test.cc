#include "server/answer_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "api/response.h"
#include "base/json.h"
#include "engine/engine.h"
#include "net/http_message.h"
#include "server/test_server_testing.h"

namespace fathom {
namespace {

TEST(AnswerMemory, IsSharedOutUpToItsLimitAndGivenBack) {
  int64_t unsent = 0;
  AnswerMemory memory(100, [&unsent] { return unsent; });
  AnswerMemory::Share first = memory.Reserve(60);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(memory.Reserve(41), nullptr);
  EXPECT_NE(memory.Reserve(40), nullptr);  // let go at once
  unsent = 1;
  EXPECT_EQ(memory.Reserve(40), nullptr);
  first.reset();
  EXPECT_NE(memory.Reserve(99), nullptr);
}

Json WithLogprobs(int64_t max_tokens) {
  Json request = Chat("hello", max_tokens);
  request.Set("ignore_eos", true);
  request.Set("logprobs", true);
  request.Set("top_logprobs", 20);
  return request;
}

// Room for one answer of 100 tokens with 20 likely ones beside each.
TestServer::Options RoomForAHundredTokens() {
  return {.server = {.serving = {.max_answer_bytes = 100 * BytesPerKeptToken(20)}}};
}

// The body is in memory twice when it is handed to the network.
TEST(AnswerMemory, IsWhatAnAnswerComesTo) {
  TestServer server;
  for (const std::optional<int64_t> top : {std::optional<int64_t>(), {0}, {20}}) {
    Json request = WithLogprobs(100);
    request.Set("logprobs", top.has_value());
    request.Set("top_logprobs", top ? Json(*top) : Json());
    request.Set("return_token_ids", !top.has_value());
    const HttpResponse answer = server.Post("/v1/chat/completions", request);
    ASSERT_EQ(answer.status, 200) << answer.body;
    // What it has beside its tokens: the message, the usage, the prompt's ids.
    const int64_t tokens = static_cast<int64_t>(answer.body.size()) - 1000;
    // The tokens stand in a list that has grown, and the body twice.
    EXPECT_LT(3 * 100 * static_cast<int64_t>(sizeof(SampledToken)) + 2 * tokens,
              100 * BytesPerKeptToken(top));
  }
}

TEST(AnswerMemory, AnAnswerThatNeverHasRoomIsRefusedWhole) {
  TestServer server(RoomForAHundredTokens());
  EXPECT_EQ(server.Post("/v1/chat/completions", WithLogprobs(100)).status, 200);
  Json two = WithLogprobs(51);
  two.Set("n", 2);
  for (const Json& request : {WithLogprobs(101), two}) {
    const HttpResponse refused = server.Post("/v1/chat/completions", request);
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(At(Parse(refused.body), {"error", "code"}), Json("answer_too_large"));
  }
  two.Set("logprobs", false);
  two.Set("top_logprobs", Json());
  EXPECT_EQ(server.Post("/v1/chat/completions", two).status, 200);
  EXPECT_EQ(server.Stream("/v1/chat/completions", WithLogprobs(101)).back(), "[DONE]");
}

TEST(AnswerMemory, WhoFindsNoneFreeComesAgain) {
  TestServer server(RoomForAHundredTokens());
  server.Pause();
  HttpResponse held;
  std::thread holder([&] { held = server.Post("/v1/chat/completions", WithLogprobs(60)); });
  while (server.engine().phase() != EnginePhase::kComputing) std::this_thread::yield();
  const HttpResponse refused = server.Post("/v1/chat/completions", WithLogprobs(41));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(At(Parse(refused.body), {"error", "code"}), Json("overloaded"));
  EXPECT_EQ(refused.Header("Retry-After"), "5");
  server.Resume();
  holder.join();
  EXPECT_EQ(held.status, 200);
  server.AwaitIdle();
  EXPECT_EQ(server.Post("/v1/chat/completions", WithLogprobs(100)).status, 200);
}

// A text, its ids and the answer take 40 bytes of each of the body's.
TEST(AnswerMemory, ATextThatIsTokenizedTakesItsShare) {
  TestServer server({.server = {.serving = {.max_answer_bytes = 40 * 100}}});
  const HttpResponse taken = server.Post("/tokenize", Json::MakeObject({{"prompt", "hello"}}));
  EXPECT_EQ(taken.status, 200) << taken.body;
  const HttpResponse refused =
      server.Post("/tokenize", Json::MakeObject({{"prompt", std::string(100, 'a')}}));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(At(Parse(refused.body), {"error", "code"}), Json("answer_too_large"));
}

}  // namespace
}  // namespace fathom
