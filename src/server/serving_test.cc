#include "server/serving.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "api/api_error.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/thread_pool.h"
#include "engine/engine.h"
#include "engine/memory_executor_testing.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/http_server.h"
#include "net/raw_client_testing.h"
#include "net/server_testing.h"
#include "server/metrics.h"
#include "server/preparation.h"
#include "server/request_log.h"
#include "server/router.h"
#include "server/served_model.h"
#include "text/text_assets.h"
#include "text/tiny_tokenizer_testing.h"

namespace fathom {
namespace {

constexpr int64_t kBlocks = 64;
constexpr int64_t kBlockTokens = 16;

// A Serving behind HTTP. Requests for /held and /held_too take a thread that prepares until
// Release.
class ServingTest : public testing::Test {
 protected:
  ServingTest()
      : serving_(Model(), engine_, {.prepare_threads = 2}, clock_, metrics_, log_),
        http_(Serve([this](HttpRequest request, HttpReply reply) {
          Take({.request = std::move(request),
                .reply = std::move(reply),
                .headers = {},
                .id = "1",
                .trace = "",
                .path_rest = ""});
        })) {}
  ~ServingTest() override { http_->Stop(); }

  ServedModel Model() const {
    return {.names = {"tiny"},
            .root = "model",
            .text = text_,
            .defaults = {},
            .eos_ids = {kTinyEos},
            .vocab = kTinyVocab,
            .max_model_len = 512};
  }

  void Take(RoutedRequest routed) {
    serving_.Generate(std::move(routed), [this](RoutedRequest& request) {
      if (request.request.path == "/held") {
        held_.set_value();
        released_.wait();
      }
      if (request.request.path == "/held_too") {
        held_too_.set_value();
        released_.wait();
      }
      if (request.request.path == "/counted") ++counted_;
      return PrepareCompletion(serving_.model(), request, {});
    });
  }

  // The body is at least `bytes` long.
  std::unique_ptr<RawClient> Ask(std::string_view path, size_t bytes = 0) const {
    const std::string body =
        Format(R"({{"prompt":"hello","max_tokens":2,"user":"{}"}})", std::string(bytes, 'a'));
    auto client = std::make_unique<RawClient>(http_->port());
    client->Send(Format("POST {} HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{}", path,
                        body.size(), body));
    return client;
  }
  std::unique_ptr<RawClient> AskAndHold(size_t bytes = 0) {
    auto client = Ask("/held", bytes);
    held_.get_future().wait();
    return client;
  }
  void Release() { release_.set_value(); }

  const TextAssets text_ = TinyTextAssets();
  const SteadyClock clock_;
  ThreadPool pool_{1};
  Metrics metrics_;
  ServerLog log_{[](std::string_view) {}, [] { return int64_t{0}; }};
  Engine engine_{
      std::make_unique<MemoryExecutor>(MemoryExecutor::Options{
          .vocab = kTinyVocab, .blocks = kBlocks, .block_tokens = kBlockTokens}),
      {.scheduler = {.blocks = kBlocks, .block_tokens = kBlockTokens}, .max_model_len = 512},
      pool_,
      clock_};
  std::promise<void> held_;
  std::promise<void> held_too_;
  std::promise<void> release_;
  const std::shared_future<void> released_ = release_.get_future().share();
  std::atomic<int> counted_ = 0;
  Serving serving_;
  std::unique_ptr<HttpServer> http_;
};

TEST_F(ServingTest, ARequestThatIsLongInPreparationHoldsUpNoOther) {
  const auto held = AskAndHold();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(Ask("/")->ReadAnswer().status(), 200);
  Release();
  EXPECT_EQ(held->ReadAnswer().status(), 200);
}

TEST_F(ServingTest, LongBodiesInPreparationHoldUpNoShortOne) {
  constexpr size_t kLong = 300'000;
  const auto held = AskAndHold(kLong);
  const auto also_held = Ask("/held_too", kLong);
  while (serving_.open() < 2) std::this_thread::yield();
  EXPECT_EQ(Ask("/")->ReadAnswer().status(), 200);
  Release();
  EXPECT_EQ(held->ReadAnswer().status(), 200);
  EXPECT_EQ(also_held->ReadAnswer().status(), 200);
}

TEST_F(ServingTest, ARequestIsOpenFromItsComingToTheEndOfItsAnswer) {
  const auto held = AskAndHold();
  EXPECT_EQ(serving_.open(), 1);
  Release();
  EXPECT_EQ(held->ReadAnswer().status(), 200);
  while (serving_.open() > 0) std::this_thread::yield();
}

TEST_F(ServingTest, WhatIsPreparedWhenAllIsEndedIsToldSo) {
  const auto held = AskAndHold();
  serving_.EndAll(NotReady("draining", ""));
  Release();
  const RawClient::Answer answer = held->ReadAnswer();
  EXPECT_EQ(answer.status(), 503);
  EXPECT_NE(answer.body.find("the server is draining"), std::string::npos) << answer.body;
  while (serving_.open() > 0) std::this_thread::yield();
}

// Both threads are held: the third waits for one, and is not worth its time any more.
TEST_F(ServingTest, WhatWaitsToBePreparedWhenAllIsEndedIsNotPrepared) {
  const auto held = AskAndHold();
  const auto also_held = Ask("/held_too");
  held_too_.get_future().wait();
  const auto waiting = Ask("/counted");
  while (serving_.open() < 3) std::this_thread::yield();
  serving_.EndAll(NotReady("draining", ""));
  Release();
  EXPECT_EQ(waiting->ReadAnswer().status(), 503);
  EXPECT_EQ(counted_, 0);
}

TEST_F(ServingTest, NothingIsTakenAfterItWasSaidSo) {
  const auto held = AskAndHold();
  serving_.StopTaking();
  EXPECT_EQ(Ask("/")->ReadAnswer().status(), 503);
  EXPECT_EQ(serving_.open(), 1);
  Release();
  EXPECT_EQ(held->ReadAnswer().status(), 200);
}

// Counted on both sides of Admission: what the scheduler may run, not what was asked of it.
TEST_F(ServingTest, ThereIsRoomForWhatTheEngineRunsAndWhatMayWait) {
  EXPECT_EQ(serving_.model().max_answers,
            engine_.config().scheduler.max_sequences + ServingOptions().max_queue);
}

}  // namespace
}  // namespace fathom
