// What is refused, by the HTTP server, the router or later, is answered and written down alike.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "net/raw_client_testing.h"
#include "server/test_server_testing.h"

namespace fathom {
namespace {

// The line of the log that has `text`, once it is there.
Json AwaitLogLine(TestServer& server, std::string_view text) {
  while (true) {
    const std::string log = server.log();
    const size_t at = log.find(text);
    if (at == std::string::npos) {
      std::this_thread::yield();
      continue;
    }
    const size_t begin = log.rfind('\n', at) + 1;
    return Parse(log.substr(begin, log.find('\n', at) - begin));
  }
}

TEST(Refusals, EveryRefusalHasAnIdALineOfTheLogAndACount) {
  TestServer server({.server = {.http = {.max_header_bytes = 1000, .max_body_bytes = 100'000},
                                .cors = {.allowed_origins = {"https://a.example"}}},
                     .keys = {"sk-1"}});
  struct Row {
    std::string bytes;
    int status;
    std::string code, path;
  };
  const std::string host = " HTTP/1.1\r\nHost: h\r\nX-Request-Id: mine\r\n";
  const std::string key = "Authorization: Bearer sk-1\r\n";
  const Row rows[] = {
      {"POST /tokenize" + host + key + "Content-Length: 100001\r\n\r\n", 413, "request_too_large",
       "/tokenize"},
      {"POST /tokenize" + host + "Content-Encoding: gzip\r\n\r\n", 415,
       "unsupported_content_encoding", "/tokenize"},
      {"POST /tokenize" + host + "Expect: tea\r\n\r\n", 417, "unsupported_expectation",
       "/tokenize"},
      {"POST /tokenize" + host + "Transfer-Encoding: gzip\r\n\r\n", 501,
       "unsupported_transfer_encoding", "/tokenize"},
      {"GET /" + host + "A b: c\r\n\r\n", 400, "malformed_http", "/"},
      {"GET /a" + host + "A: " + std::string(2000, 'a'), 431, "header_too_large", "/a"},
      {"GET /" + std::string(2000, 'a'), 431, "header_too_large", ""},
      {"GET / HTTP/3.0\r\n\r\n", 505, "unsupported_http_version", ""},
      {"GET /nothing" + host + "\r\n", 404, "unknown_url", "/nothing"},
      {"GET /tokenize" + host + "\r\n", 405, "method_not_allowed", "/tokenize"},
      {"POST /tokenize" + host + "\r\n", 401, "invalid_api_key", "/tokenize"},
      // The same from the header alone: the body never comes.
      {"POST /nothing" + host + "Content-Length: 9\r\n\r\n", 404, "unknown_url", "/nothing"},
      {"PUT /tokenize" + host + "Content-Length: 9\r\n\r\n", 405, "method_not_allowed",
       "/tokenize"},
      {"POST /tokenize" + host + "Expect: 100-continue\r\nContent-Length: 9\r\n\r\n", 401,
       "invalid_api_key", "/tokenize"},
      {"GET /health" + host + "Content-Length: 65537\r\n\r\n", 413, "request_too_large", "/health"},
      {"POST /tokenize" + host + key + "Content-Length: 13\r\n\r\n{\"prompt\": 3}", 400,
       "invalid_request_error", "/tokenize"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.bytes.substr(0, 100));
    RawClient client(server.server().port());
    client.Send(row.bytes);
    const RawClient::Answer answer = client.ReadAnswer();
    EXPECT_EQ(answer.status(), row.status) << answer.head;
    const Json line = AwaitLogLine(server, client.address());
    EXPECT_EQ(At(line, {"event"}), Json("refused"));
    EXPECT_EQ(At(line, {"status"}), Json(row.status));
    EXPECT_EQ(At(line, {"code"}), Json(row.code));
    EXPECT_EQ(At(line, {"path"}), Json(row.path));
    const Json message = At(Parse(answer.body), {"error", "message"});
    const bool of_body = row.code == "invalid_request_error";
    EXPECT_EQ(At(line, {"message"}), of_body ? Json("expected a text, found integer") : message);
    const std::string id = At(line, {"id"}).as_string();
    EXPECT_EQ(id == "mine", row.bytes.find("mine") != std::string::npos);
    EXPECT_NE(answer.head.find("\r\nX-Request-Id: " + id + "\r\n"), std::string::npos);
    EXPECT_NE(answer.head.find("\r\nVary: Origin\r\n"), std::string::npos);
  }
  for (const auto& [status, count] : {std::pair(413, 2), {400, 2}, {401, 2}, {429, 0}}) {
    const std::string line = Format(
        "\nfathom:requests_refused_total{{model_name=\"tiny\",engine=\"0\",status=\"{}\"}} {}\n",
        status, count);
    EXPECT_NE(server.Get("/metrics").body.find(line), std::string::npos) << line;
  }
}

// What a log without prompts may not have, in the places where a body's text could come to it.
TEST(Refusals, TheLogQuotesNothingOfABodyUnlessItHasTheText) {
  const std::string path = "/v1/chat/completions";
  const std::string user = R"({"messages":[{"role":"user","content":)";
  struct Row {
    std::string target, body, param, message;
  };
  const Row rows[] = {
      {path, user + R"("my secret)", "",
       "not valid JSON at line 1, column 49: syntax error while parsing value - invalid string: "
       "missing closing quote"},
      {path, user + R"({"text":"my secret"}}]})", "messages[0].content",
       "expected a text, or a list of {\"type\": \"text\", \"text\": ...}, found object"},
      {path, R"({"messages":[{"role":"my secret"}]})", "messages[0].role",
       "expected one of system, developer, user, assistant, tool, found string"},
      {path, R"({"my secret":1,"my secret":2})", "...", "key stands twice in one object"},
      {path, user + R"("hello"}],"chat_template_kwargs":{"my secret":1e999}})",
       "chat_template_kwargs...", "number overflow"},
      {path, user + R"("my secret"}],"seed":1})", "messages",
       "model/chat_template.jinja: line 1: what is wrong quotes the request: its client was told"},
      {"/tokenize", R"({"prompt":["my secret"]})", "prompt", "expected a text, found array"},
  };
  for (const bool log_text : {false, true}) {
    TestServer server(
        {.chat_template = "{{ raise_exception(messages[0].content) }}", .log_text = log_text});
    for (const Row& row : rows) {
      SCOPED_TRACE(row.body);
      RawClient client(server.server().port());
      client.Send(Format("POST {} HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n{}", row.target,
                         row.body.size(), row.body));
      const RawClient::Answer answer = client.ReadAnswer();
      EXPECT_EQ(answer.status(), 400) << answer.head;
      EXPECT_NE(answer.body.find("secret"), std::string::npos) << answer.body;
      EXPECT_EQ(answer.body.find("chat_template.jinja"), std::string::npos) << answer.body;
      const Json line = AwaitLogLine(server, client.address());
      const Json told = At(Parse(answer.body), {"error"});
      EXPECT_EQ(At(line, {"message"}), log_text ? At(told, {"message"}) : Json(row.message));
      const Json* param = line.Find("param");
      if (log_text) {
        EXPECT_EQ(param == nullptr ? Json() : *param, At(told, {"param"}));
      } else {
        EXPECT_EQ(param == nullptr ? Json("") : *param, Json(row.param));
      }
    }
    EXPECT_EQ(server.log().find("secret") != std::string::npos, log_text);
  }
}

TEST(Refusals, AConnectionTooManyIsToldWhenToComeAgain) {
  TestServer server({.server = {.http = {.max_connections = 1}}});
  server.Pause();
  const std::string body = Chat("hello").Dump();
  std::vector<std::unique_ptr<RawClient>> busy;
  RawClient::Answer refused;
  std::string address;
  // A connection whose request has not come yet is idle and makes room.
  while (refused.head.find(" 503 ") == std::string::npos) {
    busy.push_back(std::make_unique<RawClient>(server.server().port()));
    busy.back()->Send(
        Format("POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\n"
               "Content-Length: {}\r\n\r\n{}",
               body.size(), body));
    RawClient other(server.server().port());
    other.Send("GET /v1/models HTTP/1.1\r\nHost: h\r\nX-Request-Id: mine\r\n\r\n");
    refused = other.ReadAnswer();
    address = other.address();
  }
  EXPECT_NE(refused.head.find("\r\nRetry-After: 5\r\n"), std::string::npos) << refused.head;
  EXPECT_EQ(At(Parse(refused.body), {"error", "code"}), Json("overloaded"));
  const Json line = AwaitLogLine(server, address);
  EXPECT_EQ(At(line, {"status"}), Json(503));
  EXPECT_EQ(At(line, {"id"}), Json("mine"));
  EXPECT_EQ(At(line, {"path"}), Json("/v1/models"));
  // Who watches the server still hears of it.
  for (const char* path : {"/health", "/ping", "/metrics", "/load", "/version"}) {
    EXPECT_EQ(server.Get(path).status, 200) << path;
  }
}

TEST(Refusals, AnUnknownPathIsToldOfTheNearestOrOfAll) {
  TestServer server;
  const auto message = [&](const std::string& target) {
    return At(Parse(server.Get(target).body), {"error", "message"}).as_string();
  };
  EXPECT_EQ(message("/v1/chat/completion"),
            "there is nothing at GET /v1/chat/completion; the nearest path is "
            "/v1/chat/completions");
  EXPECT_EQ(message("/"),
            "there is nothing at GET /; this server has: /health, /ping, /version, /metrics, "
            "/load, /debug/schedule, /tokenize, /detokenize, /v1/chat/completions, "
            "/chat/completions, /beta/chat/completions, /v1/completions, /completions, "
            "/beta/completions, /v1/models, /models");
}

TEST(Refusals, TheLogSaysWhyAClientWasDropped) {
  TestServer server({.server = {.http = {.write_buffer_bytes = 1}}, .null_model = true});
  const std::string body = Chat("hello", 400).Dump();
  // Whether a token comes before the one in front of it was sent is a matter of time.
  const std::string why = "\"why\":\"the client did not read: ";
  while (server.log().find(why) == std::string::npos) {
    RawClient client(server.server().port());
    client.Send(
        Format("POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
               "Content-Length: {}\r\n\r\n{{\"stream\":true,{}",
               body.size() + 14, body.substr(1)));
    client.ReadAll();
  }
  const std::string outcome = At(AwaitLogLine(server, why), {"outcome"}).as_string();
  EXPECT_TRUE(outcome == "gone" || outcome == "cancelled") << outcome;
}

}  // namespace
}  // namespace fathom
