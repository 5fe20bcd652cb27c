#include "server/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "server/test_server_testing.h"
#include "text/tiny_tokenizer_testing.h"

namespace fathom {
namespace {

constexpr auto kPatience = std::chrono::seconds(120);

std::string Content(const HttpResponse& response) {
  const Json content = At(Parse(response.body), {"choices", "0", "message", "content"});
  return content.is_string() ? content.as_string() : "";
}

TEST(Server, SaysWhatItIsDoingUntilItIsReady) {
  TestServer server({.start = false});
  server.server().health().Starting("phase 2 of 3, reading weights");
  const HttpResponse health = server.Get("/health");
  EXPECT_EQ(health.status, 503);
  EXPECT_EQ(health.body,
            "{\"status\":\"starting\",\"reason\":\"phase 2 of 3, reading weights\"}\n");
  const HttpResponse chat = server.Post("/v1/chat/completions", Chat("hi"));
  EXPECT_EQ(chat.status, 503);
  EXPECT_EQ(chat.Header("Retry-After"), "5");
  EXPECT_EQ(At(Parse(chat.body), {"error", "message"}).as_string(),
            "the server is starting (phase 2 of 3, reading weights); try again in 5 s");
  server.Start();
  EXPECT_EQ(server.Get("/health").body, "{\"status\":\"ok\"}\n");
  EXPECT_EQ(server.Get("/ping").status, 200);
  EXPECT_EQ(server.Post("/v1/chat/completions", Chat("hi")).status, 200);
}

TEST(Server, AnswersAChatWholeOrAsAStreamAlike) {
  TestServer server;
  const HttpResponse whole = server.Post("/v1/chat/completions", Chat("hello", 20));
  ASSERT_EQ(whole.status, 200) << whole.body;
  const Json json = Parse(whole.body);
  EXPECT_EQ(At(json, {"object"}), Json("chat.completion"));
  EXPECT_EQ(At(json, {"model"}), Json("tiny"));
  EXPECT_EQ(At(json, {"choices", "0", "finish_reason"}), Json("length"));
  EXPECT_EQ(At(json, {"usage", "completion_tokens"}), Json(20));

  Json request = Chat("hello", 20);
  request.Set("stream_options", Json::MakeObject({{"include_usage", true}}));
  const std::vector<std::string> events = server.Stream("/v1/chat/completions", request);
  ASSERT_GE(events.size(), 4U);
  EXPECT_EQ(events.back(), "[DONE]");
  std::string content;
  for (size_t i = 0; i + 1 < events.size(); ++i) {
    const Json delta = At(Parse(events[i]), {"choices", "0", "delta", "content"});
    if (delta.is_string()) content += delta.as_string();
  }
  EXPECT_EQ(content, Content(whole));
  const Json usage = Parse(events[events.size() - 2]);
  EXPECT_EQ(At(usage, {"usage", "completion_tokens"}), Json(20));
  EXPECT_TRUE(At(usage, {"choices"}).as_array().empty());
}

TEST(Server, AnswersDoNotDependOnWhatElseRuns) {
  TestServer server;
  Json request = Chat("hello", 40);
  request.Set("ignore_eos", true);
  request.Set("temperature", 1);
  request.Set("seed", 7);
  const std::string alone = Content(server.Post("/v1/chat/completions", request));
  std::vector<std::string> crowded(16);
  std::vector<std::thread> clients;
  clients.reserve(crowded.size());
  for (size_t i = 0; i < crowded.size(); ++i) {
    clients.emplace_back([&server, &crowded, request, i]() mutable {
      // Every other asks for something else.
      if (i % 2 == 1) request.Set("seed", static_cast<int64_t>(i));
      crowded[i] = Content(server.Post("/v1/chat/completions", request));
    });
  }
  for (std::thread& client : clients) client.join();
  for (size_t i = 0; i < crowded.size(); i += 2) EXPECT_EQ(crowded[i], alone) << i;
}

TEST(Server, TheLogHasALineForEachRequestAndNoText) {
  TestServer server;
  HttpCall call{.method = "POST",
                .target = "/v1/chat/completions",
                .headers = {},
                .body = Chat("hello", 3).Dump()};
  call.headers.Add("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  call.headers.Add("X-Request-Id", "mine-2");
  ASSERT_TRUE(server.Client()->Send(call, kPatience).ok());
  // The line is written when the answer is: its last byte may come first.
  while (server.log().empty()) std::this_thread::yield();
  const Json line = Parse(server.log());
  EXPECT_EQ(At(line, {"event"}), Json("request"));
  EXPECT_EQ(At(line, {"id"}), Json("mine-2"));
  EXPECT_EQ(At(line, {"traceparent"}),
            Json("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  EXPECT_EQ(At(line, {"outcome"}), Json("done"));
  EXPECT_EQ(At(line, {"finish", "0"}), Json("length"));
  EXPECT_EQ(At(line, {"completion_tokens"}), Json(3));
  EXPECT_EQ(server.log().find("hello"), std::string::npos);
}

TEST(Server, SaysWhyTheLastStepsWereAsTheyWere) {
  TestServer server;
  server.Post("/v1/chat/completions", Chat("hello", 2));
  const Json steps = At(Parse(server.Get("/debug/schedule").body), {"steps"});
  ASSERT_TRUE(steps.is_array());
  ASSERT_GE(steps.as_array().size(), 2U);
  EXPECT_EQ(At(steps, {"0", "choice"}), Json("mixed")) << steps.Dump();
}

TEST(Server, TheIdOfAnAnswerIsTheOneThatWasAskedFor) {
  TestServer server;
  Json request = Chat("hello");
  request.Set("request_id", "mine-1");
  EXPECT_EQ(At(Parse(server.Post("/v1/chat/completions", request).body), {"id"}),
            Json("chatcmpl-mine-1"));
}

TEST(Server, EveryPathOfARouteAnswersAlike) {
  TestServer server;
  const std::string expected = Content(server.Post("/v1/chat/completions", Chat("hello")));
  for (const char* path : {"/chat/completions", "/beta/chat/completions"}) {
    EXPECT_EQ(Content(server.Post(path, Chat("hello"))), expected) << path;
  }
  EXPECT_EQ(At(Parse(server.Get("/v1/models").body), {"data", "1", "id"}), Json("other"));
  EXPECT_EQ(At(Parse(server.Get("/models/tiny").body), {"max_model_len"}), Json(512));
  EXPECT_EQ(server.Get("/v1/models/else").status, 404);
  const HttpResponse ids = server.Post("/tokenize", Json::MakeObject({{"prompt", "hello"}}));
  EXPECT_EQ(At(Parse(ids.body), {"tokens"}).Dump(), "[0,262]");
  const HttpResponse text =
      server.Post("/detokenize", Json::MakeObject({{"tokens", Json::Array{Json(262)}}}));
  EXPECT_EQ(text.body, "{\"prompt\":\"hello\"}");
}

TEST(Server, WrongRequestsAreToldWhatIsWrong) {
  TestServer server({.keys = {"sk-1"}});
  struct Row {
    std::string method, target, key, body;
    int status;
    std::string code, param;
  };
  const Row rows[] = {
      {"GET", "/nothing", "sk-1", "", 404, "unknown_url", ""},
      {"GET", "/v1/chat/completions", "sk-1", "", 405, "method_not_allowed", ""},
      {"DELETE", "/v1/models", "sk-1", "", 405, "method_not_allowed", ""},
      {"GET", "/v1/models", "", "", 401, "invalid_api_key", ""},
      {"GET", "/v1/models", "sk-2", "", 401, "invalid_api_key", ""},
      {"POST", "/v1/chat/completions", "sk-1", "", 400, "", ""},
      {"POST", "/v1/chat/completions", "sk-1", "{\"messages\": [", 400, "", ""},
      {"POST", "/v1/chat/completions", "sk-1", "{\"messages\": 3}", 400, "", "messages"},
      {"POST", "/v1/completions", "sk-1", "{\"prompt\": [1, 280]}", 400, "", "prompt[1]"},
      {"POST", "/v1/completions", "sk-1", "{\"prompt\": \"a\", \"temperature\": \"hot\"}", 400, "",
       "temperature"},
      {"POST", "/v1/completions", "sk-1", "{\"prompt\": \"a\", \"model\": \"gpt\"}", 404,
       "model_not_found", "model"},
      {"POST", "/v1/completions", "sk-1", "{\"prompt\": \"" + std::string(600, 'a') + "\"}", 400,
       "context_length_exceeded", "prompt"},
      {"POST", "/v1/completions", "sk-1",
       "{\"prompt\": [\"a\", \"" + std::string(600, 'a') + "\"]}", 400, "context_length_exceeded",
       "prompt[1]"},
      {"POST", "/v1/chat/completions", "sk-1",
       "{\"messages\": [{\"role\": \"user\", \"content\": \"" + std::string(600, 'a') + "\"}]}",
       400, "context_length_exceeded", "messages"},
      {"POST", "/v1/completions", "sk-1", R"({"prompt": "", "add_special_tokens": false})", 400, "",
       "prompt"},
      {"POST", "/v1/completions", "sk-1",
       R"({"prompt": "a", "allowed_token_ids": [7], "stop_token_ids": [7], "min_tokens": 1})", 400,
       "", "min_tokens"},
      {"POST", "/v1/completions", "sk-1",
       R"({"prompt": "a", "allowed_token_ids": [262], "bad_words": ["hello"]})", 400, "",
       "bad_words"},
  };
  for (const Row& row : rows) {
    HttpCall call{.method = row.method, .target = row.target, .headers = {}, .body = row.body};
    if (!row.key.empty()) call.headers.Add("Authorization", "Bearer " + row.key);
    const Result<HttpResponse> response = server.Client()->Send(call, kPatience);
    ASSERT_TRUE(response.ok()) << response.error().ToString();
    EXPECT_EQ(response->status, row.status) << row.target << row.body << response->body;
    const Json error = Parse(response->body);
    const auto text = [&](std::string_view key) {
      const Json value = At(error, {"error", key});
      return value.is_string() ? value.as_string() : "";
    };
    EXPECT_EQ(text("code"), row.code) << response->body;
    EXPECT_EQ(text("param"), row.param) << response->body;
    EXPECT_NE(text("message"), "");
  }
  EXPECT_EQ(server.Get("/health").status, 200);  // needs no key
  EXPECT_EQ(server.log().find("sk-"), std::string::npos);
}

TEST(Server, BrowsersAreLetInAsConfigured) {
  TestServer server(
      {.server = {.cors = {.allowed_origins = {"https://a.example"}}}, .keys = {"sk-1"}});
  HttpCall call{.method = "OPTIONS", .target = "/v1/chat/completions", .headers = {}, .body = ""};
  call.headers.Add("Origin", "https://a.example");
  call.headers.Add("Access-Control-Request-Headers", "authorization, x-stainless-os");
  const Result<HttpResponse> preflight = server.Client()->Send(call, kPatience);
  ASSERT_TRUE(preflight.ok());
  EXPECT_EQ(preflight->status, 204);
  EXPECT_EQ(preflight->Header("Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(preflight->Header("Access-Control-Allow-Headers"), "authorization, x-stainless-os");
  HttpCall other{.method = "GET", .target = "/health", .headers = {}, .body = ""};
  other.headers.Add("Origin", "https://b.example");
  const Result<HttpResponse> refused = server.Client()->Send(other, kPatience);
  ASSERT_TRUE(refused.ok());
  EXPECT_FALSE(refused->Header("Access-Control-Allow-Origin"));
}

TEST(Server,
     MessagesThatATemplateCannotRenderAreRefusedAndATemplateThatCannotBeReadIsTheServersFault) {
  struct Row {
    std::string chat_template;
    int status;
    std::string message;
  };
  const Row rows[] = {
      {"{{ raise_exception('Roles must alternate') }}", 400,
       "messages: Roles must alternate; change the messages as the chat template asks, or give "
       "another template with --chat-template FILE"},
      {"a\n{{ messages[0].content // 0 }}", 400,
       "messages: string // integer is not supported; correct the template, or give another with "
       "--chat-template FILE"},
      {"{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}", 400,
       "messages: the template takes more than 5000000 steps; shorten what it is given, or give "
       "another template with --chat-template FILE"},
      {"{% call f() %}", 500,
       "the model's chat template cannot be used: tag \"call\" is not supported; correct the "
       "template, or give another with --chat-template FILE"},
  };
  for (const Row& row : rows) {
    const TestServer server({.chat_template = row.chat_template});
    for (const char* path : {"/v1/chat/completions", "/tokenize"}) {
      Json request = Chat("hello");
      const HttpResponse response = server.Post(path, request);
      EXPECT_EQ(response.status, row.status) << row.chat_template;
      EXPECT_EQ(At(Parse(response.body), {"error", "message"}).as_string(), row.message);
    }
  }
}

// A cache that ignores the origin would hand one page's answer to another.
TEST(Server, AnswersSayThatTheyDependOnTheOriginUnlessAllAreLetIn) {
  const auto vary = [](const TestServer& server, const char* origin) {
    HttpCall call{.method = "GET", .target = "/health", .headers = {}, .body = ""};
    if (origin != nullptr) call.headers.Add("Origin", origin);
    const Result<HttpResponse> response = server.Client()->Send(call, kPatience);
    return std::string(response.ok() ? response->Header("Vary").value_or("") : "no answer");
  };
  const TestServer some({.server = {.cors = {.allowed_origins = {"https://a.example"}}}});
  const TestServer any({.server = {.cors = {.allowed_origins = {"*"}}}});
  for (const char* origin :
       {"https://a.example", "https://b.example", static_cast<const char*>(nullptr)}) {
    EXPECT_EQ(vary(some, origin), "Origin");
    EXPECT_EQ(vary(any, origin), "");
  }
}

TEST(Server, AFullQueueSaysWhenToComeAgain) {
  TestServer server({.server = {.serving = {.max_queue = 1}},
                     .scheduler = {.blocks = 64, .block_tokens = 16, .max_sequences = 1}});
  server.Pause();
  std::vector<std::thread> waiting;
  std::atomic<int> answered = 0;
  waiting.reserve(2);
  for (int i = 0; i < 2; ++i) {
    waiting.emplace_back([&] {
      if (server.Post("/v1/chat/completions", Chat("hello")).status == 200) ++answered;
    });
  }
  while (!HasMetric(server, "vllm:request_params_n_count", 2)) std::this_thread::yield();
  const HttpResponse refused = server.Post("/v1/chat/completions", Chat("hello"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.Header("Retry-After"));
  EXPECT_EQ(At(Parse(refused.body), {"error", "code"}), Json("queue_full"));
  Json never = Chat("hello");
  never.Set("n", 3);
  const HttpResponse too_many = server.Post("/v1/chat/completions", never);
  EXPECT_EQ(too_many.status, 400);  // coming again would not help
  EXPECT_FALSE(too_many.Header("Retry-After"));
  server.Resume();
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(answered, 2);
}

TEST(Server, MoreAnswersThanThereIsRoomForAreRefusedBeforeAnythingIsTokenized) {
  TestServer server({.server = {.serving = {.max_queue = 20}}});
  Json request = Json::MakeObject({{"n", 5}, {"max_tokens", 1}});
  // What does not fit the context is found by tokenizing it: that would be told first.
  request.Set("prompt", Json::Array(9, Json(std::string(600, 'a'))));
  const HttpResponse refused = server.Post("/v1/completions", request);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(At(Parse(refused.body), {"error", "code"}), Json("too_many_answers"));
  EXPECT_EQ(At(Parse(refused.body), {"error", "message"}),
            Json("the request asks for 45 answers (n, for each prompt) and this server takes at "
                 "most 36 at once; ask for fewer, or in several requests"));
  request.Set("prompt", Json::Array(7, Json("hello")));
  const HttpResponse taken = server.Post("/v1/completions", request);
  ASSERT_EQ(taken.status, 200) << taken.body;
  EXPECT_EQ(At(Parse(taken.body), {"choices"}).as_array().size(), 35U);
}

TEST(Server, TheReasonOfAStopIsWhatTheRequestNamed) {
  TestServer server;
  Json request = Json::MakeObject({{"prompt", "hello"}, {"max_tokens", 3}, {"temperature", 0}});
  request.Set("logit_bias", Json::MakeObject({{Format("{}", kTinyEos), 100}}));
  const auto end = [&] {
    const Json choice = At(Parse(server.Post("/v1/completions", request).body), {"choices", "0"});
    return At(choice, {"finish_reason"}).Dump() + " " + At(choice, {"stop_reason"}).Dump();
  };
  EXPECT_EQ(end(), "\"stop\" null");
  request.Set("stop_token_ids", Json::Array{Json(kTinyEos)});
  EXPECT_EQ(end(), "\"stop\" 1");
  request.Set("ignore_eos", true);
  EXPECT_EQ(end(), "\"stop\" 1");
  request.Set("stop_token_ids", Json());
  EXPECT_EQ(end(), "\"length\" null");
}

// The engine is told to end what has its stop text; the client has an answer, not a cancellation.
TEST(Server, AnAnswerThatItsStopTextEndedCountsAsStopped) {
  TestServer server({.null_model = true});  // that says "hello" and nothing else
  const Json request =
      Json::MakeObject({{"prompt", "a"}, {"max_tokens", 9}, {"temperature", 0}, {"stop", "ell"}});
  const HttpResponse answer = server.Post("/v1/completions", request);
  EXPECT_EQ(At(Parse(answer.body), {"choices", "0", "finish_reason"}), Json("stop"));
  server.AwaitIdle();
  const std::string metrics = server.Get("/metrics").body;
  EXPECT_NE(metrics.find("finished_reason=\"stop\"} 1\n"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("finished_reason=\"cancelled\"} 0\n"), std::string::npos) << metrics;
}

TEST(Server, BadWordsDoNotComeInAnswers) {
  TestServer server({.null_model = true});  // that says "hello" and nothing else
  Json request = Json::MakeObject({{"prompt", "a"}, {"max_tokens", 3}, {"temperature", 0}});
  const auto text = [&] {
    return At(Parse(server.Post("/v1/completions", request).body), {"choices", "0", "text"})
        .as_string();
  };
  EXPECT_EQ(text(), "hellohellohello");
  request.Set("bad_words", Json::Array{Json("hello")});
  EXPECT_EQ(text().find("hello"), std::string::npos);
}

TEST(Server, TheLoadIsHowManyRequestsAreOpen) {
  TestServer server({.keys = {"sk-1"}});
  EXPECT_EQ(server.Get("/load").body, R"({"server_load":0})");
  TestServer busy;
  busy.Pause();
  std::thread client([&] { busy.Post("/v1/completions", Json::MakeObject({{"prompt", "a"}})); });
  while (busy.Get("/load").body != R"({"server_load":1})") std::this_thread::yield();
  busy.Resume();
  client.join();
  busy.AwaitIdle();
  EXPECT_EQ(busy.Get("/load").body, R"({"server_load":0})");
  EXPECT_TRUE(HasMetric(busy, "vllm:request_inference_time_seconds_count", 1));
}

TEST(Server, EachChoiceEchoesItsPrompt) {
  TestServer server;
  const Json request = Json::MakeObject({{"prompt", Json::Array{Json("hello"), Json("he")}},
                                         {"n", 2},
                                         {"echo", true},
                                         {"max_tokens", 1},
                                         {"ignore_eos", true},
                                         {"temperature", 0}});
  const Json whole = Parse(server.Post("/v1/completions", request).body);
  std::vector<std::string> streamed(4);
  for (const std::string& event : server.Stream("/v1/completions", request)) {
    if (event == "[DONE]") continue;
    const Json choice = At(Parse(event), {"choices", "0"});
    streamed[static_cast<size_t>(At(choice, {"index"}).as_int())] +=
        At(choice, {"text"}).as_string();
  }
  for (const char* choice : {"0", "1", "2", "3"}) {
    const std::string text = At(whole, {"choices", choice, "text"}).as_string();
    EXPECT_EQ(text.substr(0, choice[0] < '2' ? 5 : 2), choice[0] < '2' ? "hello" : "he");
    EXPECT_EQ(streamed[static_cast<size_t>(choice[0] - '0')], text);
  }
}

TEST(Server, AClientThatGoesFreesItsBlocks) {
  TestServer server;
  std::vector<std::thread> clients;
  clients.reserve(20);
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back([&server, i] {
      Json request = Chat("hello " + std::to_string(i), 400);
      request.Set("ignore_eos", true);
      request.Set("stream", true);
      // The first piece is enough.
      EXPECT_TRUE(server.Client()
                      ->Stream({.method = "POST",
                                .target = "/v1/chat/completions",
                                .headers = {},
                                .body = request.Dump()},
                               kPatience,
                               [](const HttpResponse&, std::string_view) { return false; })
                      .ok());
    });
  }
  for (std::thread& client : clients) client.join();
  server.AwaitIdle();
  EXPECT_NE(server.Get("/metrics")
                .body.find("vllm:kv_cache_usage_perc{model_name=\"tiny\",engine=\"0\"} 0\n"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom
