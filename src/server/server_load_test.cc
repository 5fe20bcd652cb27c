// What a server meets in the open: crowds, and clients that are broken or hostile. Each test ends
// with a server that still answers.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "net/http_message.h"
#include "net/many_streams_testing.h"
#include "net/raw_client_testing.h"
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
      RawClient client(server.server().port());
      const std::string body = Chat(Format("hello {}", i), 400).Dump();
      client.Send(
          Format("POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n"
                 "Content-Length: {}\r\n\r\n{}",
                 body.size(), body));
      if (i % 2 == 0) client.ReadUntil("data: ");
      client.Reset();
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

// A JSON list of the same item.
std::string Repeated(const std::string& item, int count) {
  std::string list = "[";
  for (int i = 0; i < count; ++i) {
    if (i > 0) list += ',';
    list += item;
  }
  return list + "]";
}

std::string BiasOfAll(int ids) {
  std::string object = "{";
  for (int i = 0; i < ids; ++i) object += Format("{}\"{}\":1", i > 0 ? "," : "", i);
  return object + "}";
}

TEST(ServerLoad, HostileBodiesAreRefusedWithAReason) {
  TestServer server({.server = {.http = {.max_body_bytes = 12 << 20}}});
  const std::string deep_end(100000, ']');
  struct Row {
    std::string name, body;
    int status;
  };
  const Row rows[] = {
      {"deep", R"({"prompt":)" + std::string(100000, '[') + deep_end + "}", 400},
      {"cut", R"({"prompt":"hel)", 400},
      {"not UTF-8", "{\"prompt\":\"a\xff\"}", 400},
      {"lone surrogate", R"({"prompt":"\ud800"})", 400},
      {"NaN", R"({"prompt":"a","temperature":NaN})", 400},
      {"infinite", R"({"prompt":"a","temperature":1e999})", 400},
      {"negative", R"({"prompt":"a","max_tokens":-5})", 400},
      {"huge", R"({"prompt":"a","max_tokens":99999999999999999999})", 400},
      {"many", R"({"prompt":"a","n":1000000})", 400},
      {"many answers to many prompts",
       "{\"n\":128,\"prompt\":" + Repeated("\"" + std::string(8000, 'a') + "\"", 1024) + "}", 400},
      {"biases for many answers",
       "{\"n\":128,\"prompt\":\"a\",\"logit_bias\":" + BiasOfAll(2000) + "}", 400},
      {"stop ids for many answers",
       "{\"n\":128,\"prompt\":\"a\",\"stop_token_ids\":" + Repeated("7", 4 << 20) + "}", 400},
      {"stop text for many answers",
       "{\"n\":128,\"prompt\":\"a\",\"stop\":\"" + std::string(8 << 20, 'b') + "\"}", 400},
      {"id too large", R"({"prompt":[0,280]})", 400},
      {"id negative", R"({"prompt":[-1]})", 400},
      {"id huge", R"({"prompt":[4294967296]})", 400},
      {"bias", R"({"prompt":"a","logit_bias":{"999":1}})", 400},
      {"schema of unknown type",
       R"({"prompt":"a","response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"wat"}}}})",
       400},
      {"long prompt", R"({"prompt":")" + std::string(10 << 20, 'a') + "\"}", 400},
      {"body over the limit", std::string(13 << 20, ' '), 413},
      {"twice", R"({"prompt":"a","prompt":"b"})", 400},
      {"array", "[]", 400},
  };
  for (const Row& row : rows) {
    RawClient client(server.server().port());
    client.Send(Format("POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n",
                       row.body.size()));
    client.Send(row.body);
    const RawClient::Answer answer = client.ReadAnswer();
    EXPECT_EQ(answer.status(), row.status) << row.name << ": " << answer.body;
    EXPECT_TRUE(TellsAnError(answer.body)) << row.name << ": " << answer.body;
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
