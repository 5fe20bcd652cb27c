#include "net/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/raw_client_testing.h"

namespace fathom {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

HttpServerOptions AnyPort() {
  HttpServerOptions options;
  options.port = 0;
  return options;
}

std::unique_ptr<HttpServer> Serve(HttpHandler handler, HttpServerOptions options = AnyPort()) {
  auto server = HttpServer::Listen(std::move(options), std::move(handler));
  EXPECT_TRUE(server.ok()) << server.error().ToString();
  return std::move(server).value();
}

// Says what it was asked: "GET /a b?x=1 [body]".
void Echo(const HttpRequest& request, const HttpReply& reply) {
  const std::string query = request.query.empty() ? "" : "?" + request.query;
  reply.Send({.status = 200,
              .headers = {},
              .body = request.method + " " + request.path + query + " [" + request.body + "]",
              .content_type = "text/plain"});
}

TEST(HttpServer, AnswersWithLengthTypeAndDate) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  client.Send("GET /a%20b?x=1 HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto answer = client.ReadAnswer();
  EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                                      "Content-Length: 15\r\nDate: "));
  EXPECT_THAT(answer.head, EndsWith(" GMT\r\n\r\n"));
  EXPECT_EQ(answer.body, "GET /a b?x=1 []");
}

TEST(HttpServer, KeepsAConnectionForTheNextRequest) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  for (const std::string path : {"/1", "/2", "/3"}) {
    client.Send("GET " + path + " HTTP/1.1\r\n\r\n");
    EXPECT_EQ(client.ReadAnswer().body, "GET " + path + " []");
  }
  EXPECT_EQ(server->stats().accepted_connections, 1);
  EXPECT_EQ(server->stats().requests, 3);
}

TEST(HttpServer, AnswersPipelinedRequestsInOrderThoughTheFirstTakesLonger) {
  std::promise<HttpReply> first;
  const auto server = Serve([&first](const HttpRequest& request, const HttpReply& reply) {
    if (request.path == "/slow") {
      first.set_value(reply);
    } else {
      Echo(request, reply);
    }
  });
  RawClient client(server->port());
  client.Send(
      "GET /slow HTTP/1.1\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 2\r\n\r\nhiGET /c "
      "HTTP/1.1\r\n\r\n");
  first.get_future().get().Send({.status = 200, .headers = {}, .body = "late", .content_type = ""});
  EXPECT_EQ(client.ReadAnswer().body, "late");
  EXPECT_EQ(client.ReadAnswer().body, "POST /b [hi]");
  EXPECT_EQ(client.ReadAnswer().body, "GET /c []");
}

TEST(HttpServer, ReadsARequestThatComesByteByByte) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  for (const char byte :
       std::string_view("POST /x HTTP/1.1\r\nTransfer-Encoding: "
                        "chunked\r\n\r\n3\r\nabc\r\n2;e=1\r\nde\r\n0\r\nT: 1\r\n\r\n")) {
    ASSERT_TRUE(client.Send({&byte, 1}));
  }
  EXPECT_EQ(client.ReadAnswer().body, "POST /x [abcde]");
}

TEST(HttpServer, HeadHasTheLengthAndNoBody) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  client.Send("HEAD /x HTTP/1.1\r\n\r\nGET /y HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.ReadAnswer(true).head, HasSubstr("Content-Length: 10\r\n"));
  EXPECT_EQ(client.ReadAnswer().body, "GET /y []");
}

TEST(HttpServer, AsksForTheBodyOfAClientThatWaits) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("abc");
  EXPECT_EQ(client.ReadAnswer().body, "POST / [abc]");
}

TEST(HttpServer, StreamsInChunks) {
  const auto server = Serve([](const HttpRequest&, const HttpReply& reply) {
    EXPECT_TRUE(reply.StartStream(
        {.status = 200, .headers = {}, .body = "", .content_type = "text/event-stream"}));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(reply.Write(Format("data: {}\n\n", i)));
    EXPECT_TRUE(reply.Finish());
    EXPECT_FALSE(reply.Write("after the end"));
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.ReadAnswer();
    EXPECT_THAT(answer.head, HasSubstr("Content-Type: text/event-stream\r\n"));
    EXPECT_THAT(answer.head, Not(HasSubstr("Content-Length")));
    EXPECT_EQ(answer.body, "data: 0\n\ndata: 1\n\ndata: 2\n\n");
  }
}

TEST(HttpServer, StreamsToHttp10UntilTheEndOfTheConnection) {
  const auto server = Serve([](const HttpRequest&, const HttpReply& reply) {
    reply.StartStream({});
    reply.Write("one ");
    reply.Write("two");
    reply.Finish();
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const std::string all = client.ReadAll();
  EXPECT_THAT(all, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(all, EndsWith("\r\n\r\none two"));
}

TEST(HttpServer, TellsAtOnceThatAClientIsGone) {
  struct Way {
    const char* name;
    void (RawClient::*leave)();
  };
  for (const Way& way : {Way{"close", &RawClient::Close}, Way{"reset", &RawClient::Reset},
                         Way{"half close", &RawClient::HalfClose}}) {
    SCOPED_TRACE(way.name);
    std::promise<HttpReply> asked;
    std::promise<void> gone;
    const auto server = Serve([&](const HttpRequest&, const HttpReply& reply) {
      reply.OnGone([&] { gone.set_value(); });
      reply.StartStream({});
      reply.Write("first");
      asked.set_value(reply);
    });
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\n\r\n");
    client.ReadUntil("first\r\n");
    const HttpReply reply = asked.get_future().get();
    (client.*way.leave)();
    gone.get_future().wait();
    EXPECT_FALSE(reply.Write("more"));
    EXPECT_FALSE(reply.Finish());
    bool told = false;
    reply.OnGone([&] { told = true; });
    EXPECT_TRUE(told);
  }
}

TEST(HttpServer, AReplyThatNobodyGivesBecomes500) {
  const auto server = Serve([](const HttpRequest& request, const HttpReply&) {
    if (request.path == "/throw") throw std::bad_alloc();
  });
  RawClient client(server->port());
  for (const std::string path : {"/drop", "/throw"}) {
    client.Send("GET " + path + " HTTP/1.1\r\n\r\n");
    EXPECT_EQ(client.ReadAnswer().status(), 500);
  }
}

TEST(HttpServer, DropsAReaderThatDoesNotReadWhileAnotherGetsItsEvents) {
  std::promise<HttpReply> slow;
  std::promise<HttpReply> quick;
  std::promise<void> gone;
  const auto server = Serve([&](const HttpRequest& request, const HttpReply& reply) {
    reply.StartStream({});
    (request.path == "/slow" ? slow : quick).set_value(reply);
  });
  RawClient slow_client(server->port());
  RawClient quick_client(server->port());
  slow_client.Send("GET /slow HTTP/1.1\r\n\r\n");
  quick_client.Send("GET /quick HTTP/1.1\r\n\r\n");
  const HttpReply slow_reply = slow.get_future().get();
  const HttpReply quick_reply = quick.get_future().get();
  slow_reply.OnGone([&] { gone.set_value(); });
  quick_client.ReadUntil("\r\n\r\n");
  const std::string piece(64 << 10, 'x');
  int pieces = 0;
  while (slow_reply.Write(piece)) {
    ++pieces;
    ASSERT_TRUE(quick_reply.Write("event"));
    ASSERT_EQ(quick_client.ReadUntil("event\r\n"), "5\r\nevent\r\n");
    ASSERT_LT(pieces, 10'000);
  }
  gone.get_future().wait();
  EXPECT_GE(pieces, 16);
  EXPECT_EQ(server->stats().dropped_slow_readers, 1);
  EXPECT_TRUE(quick_reply.Write("still here"));
  EXPECT_TRUE(quick_reply.Finish());
  EXPECT_EQ(quick_client.ReadUntil("0\r\n\r\n"), "a\r\nstill here\r\n0\r\n\r\n");
}

}  // namespace
}  // namespace fathom
