#include "net/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/format.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/raw_client_testing.h"
#include "net/server_testing.h"

namespace fathom {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(HttpServer, ClientsWaitUntilItAccepts) {
  std::atomic<bool> may_answer = false;
  const auto server =
      HttpServer::Bind(AnyPort(), {[&](const HttpRequest& request, const HttpReply& reply) {
                         EXPECT_TRUE(may_answer);
                         Echo(request, reply);
                       }});
  ASSERT_TRUE(server.ok());
  RawClient client((*server)->port());
  client.Send("GET /early HTTP/1.1\r\nHost: a\r\n\r\n");
  may_answer = true;
  (*server)->StartAccepting();
  EXPECT_EQ(client.ReadAnswer().body, "GET /early []");
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

TEST(HttpServer, TellsTheHandlerWhoAsks) {
  const auto server = Serve(
      [](const HttpRequest& request, const HttpReply& reply) { reply.Send(Text(request.peer)); });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().body, client.address());
}

TEST(HttpServer, KeepsAConnectionForTheNextRequest) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  for (const std::string path : {"/1", "/2", "/3"}) {
    client.Send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(client.ReadAnswer().body, "GET " + path + " []");
  }
  EXPECT_EQ(server->stats().accepted_connections, 1);
  EXPECT_EQ(server->stats().requests, 3);
}

TEST(HttpServer, ClosesAConnectionThatIsNotToBeKept) {
  const auto server = Serve(Echo);
  for (const std::string_view request :
       {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"}) {
    RawClient client(server->port());
    client.Send(request);
    const std::string all = client.ReadAll();
    EXPECT_THAT(all, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(all, EndsWith("GET / []"));
  }
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
      "GET /slow HTTP/1.1\r\nHost: h\r\n\r\n"
      "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"
      "GET /c HTTP/1.1\r\nHost: h\r\n\r\n");
  first.get_future().get().Send(Text("late"));
  EXPECT_EQ(client.ReadAnswer().body, "late");
  EXPECT_EQ(client.ReadAnswer().body, "POST /b [hi]");
  EXPECT_EQ(client.ReadAnswer().body, "GET /c []");
}

TEST(HttpServer, AnswersManyMorePipelinedRequestsThanItReadsAhead) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  constexpr int kRequests = 5000;
  std::thread sender([&client] {
    for (int i = 0; i < kRequests; ++i)
      client.Send(Format("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", i));
  });
  for (int i = 0; i < kRequests; ++i) {
    EXPECT_EQ(client.ReadAnswer().body, Format("GET /{} []", i));
  }
  sender.join();
}

TEST(HttpServer, AnswersAClientThatHalfClosedAfterItsRequests) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  client.Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
  client.HalfClose();
  EXPECT_EQ(client.ReadAnswer().body, "GET /1 []");
  EXPECT_EQ(client.ReadAnswer().body, "GET /2 []");
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpServer, ReadsARequestThatComesByteByByte) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  for (const char byte :
       std::string_view("POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "3\r\nabc\r\n2;e=1\r\nde\r\n0\r\nTrailer: 1\r\n\r\n")) {
    ASSERT_TRUE(client.Send({&byte, 1}));
  }
  EXPECT_EQ(client.ReadAnswer().body, "POST /x [abcde]");
}

TEST(HttpServer, TakesALargeBody) {
  const auto server = Serve(
      [](const HttpRequest& request, const HttpReply& reply) { reply.Send(Text(request.body)); });
  RawClient client(server->port());
  const std::string body(8 << 20, 'b');
  client.Send(Format("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", body.size()));
  client.Send(body);
  EXPECT_EQ(client.ReadAnswer().body, body);
}

TEST(HttpServer, HeadHasTheLengthAndNoBody) {
  const auto server = Serve([](const HttpRequest& request, const HttpReply& reply) {
    if (request.path == "/stream") {
      reply.StartStream(Text("first"));
      reply.Write("more");
      reply.Finish();
    } else {
      Echo(request, reply);
    }
  });
  RawClient client(server->port());
  client.Send(
      "HEAD /x HTTP/1.1\r\nHost: h\r\n\r\nHEAD /stream HTTP/1.1\r\nHost: h\r\n\r\nGET /y "
      "HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadAnswer(true).head, HasSubstr("Content-Length: 10\r\n"));
  EXPECT_THAT(client.ReadAnswer(true).head, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.ReadAnswer().body, "GET /y []");
}

TEST(HttpServer, AsksForTheBodyOfAClientThatWaits) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  for (int i = 0; i < 2; ++i) {
    client.Send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.Send("abc");
    EXPECT_EQ(client.ReadAnswer().body, "POST / [abc]");
  }
}

TEST(HttpServer, StreamsInChunks) {
  const auto server = Serve([](const HttpRequest&, const HttpReply& reply) {
    EXPECT_FALSE(reply.Write("before the start"));
    EXPECT_TRUE(reply.StartStream(Text("")));
    EXPECT_FALSE(reply.StartStream(Text("")));
    EXPECT_FALSE(reply.Send(Text("")));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(reply.Write(Format("data: {}\n\n", i)));
    EXPECT_TRUE(reply.Write(""));  // an empty chunk would be the end
    EXPECT_TRUE(reply.Finish());
    EXPECT_FALSE(reply.Finish());
    EXPECT_FALSE(reply.Write("after the end"));
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n");
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.ReadAnswer();
    EXPECT_THAT(answer.head, Not(HasSubstr("Content-Length")));
    EXPECT_EQ(answer.body, "data: 0\n\ndata: 1\n\ndata: 2\n\n");
  }
}

TEST(HttpServer, StreamsToHttp10UntilTheEndOfTheConnection) {
  const auto server = Serve([](const HttpRequest&, const HttpReply& reply) {
    reply.StartStream(Text("one "));
    reply.Write("two");
    reply.Finish();
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const std::string all = client.ReadAll();
  EXPECT_THAT(all, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(all, EndsWith("\r\n\r\none two"));
}

TEST(HttpServer, AStreamOfSeveralWritersHoldsEachPieceWhole) {
  constexpr int kWriters = 4;
  constexpr int kPieces = 500;
  std::promise<HttpReply> asked;
  const auto server = Serve([&asked](const HttpRequest&, const HttpReply& reply) {
    reply.StartStream(Text(""));
    asked.set_value(reply);
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const HttpReply reply = asked.get_future().get();
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&reply, writer] {
      for (int i = 0; i < kPieces; ++i) EXPECT_TRUE(reply.Write(Format("<{} {}>", writer, i)));
    });
  }
  for (std::thread& writer : writers) writer.join();
  reply.Finish();
  const std::string body = client.ReadAnswer().body;
  size_t length = 0;
  for (int writer = 0; writer < kWriters; ++writer) {
    size_t last = 0;
    for (int i = 0; i < kPieces; ++i) {
      const std::string piece = Format("<{} {}>", writer, i);
      const size_t at = body.find(piece, last);
      ASSERT_NE(at, std::string::npos) << piece;
      last = at;
      length += piece.size();
    }
  }
  EXPECT_EQ(body.size(), length);
}

TEST(HttpServer, AReplyThatNobodyGivesBecomes500) {
  const auto server = Serve([](const HttpRequest& request, const HttpReply&) {
    if (request.path == "/throw") throw std::bad_alloc();
  });
  RawClient client(server->port());
  for (const std::string path : {"/drop", "/throw"}) {
    client.Send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto answer = client.ReadAnswer();
    EXPECT_EQ(answer.status(), 500);
    EXPECT_EQ(answer.body, "500: the server gave this request up without an answer");
  }
}

TEST(HttpServer, AStreamThatNobodyFinishesBreaksOff) {
  const auto server =
      Serve([](const HttpRequest&, const HttpReply& reply) { reply.StartStream(Text("first")); });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), Not(HasSubstr("0\r\n\r\n")));
}

TEST(HttpServer, AHandleThatOutlivesTheServerDoesNothing) {
  std::promise<HttpReply> asked;
  std::promise<void> gone;
  auto server = Serve([&](const HttpRequest&, const HttpReply& reply) {
    reply.OnGone([&gone] { gone.set_value(); });
    asked.set_value(reply);
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const HttpReply reply = asked.get_future().get();
  server.reset();
  gone.get_future().get();
  EXPECT_FALSE(reply.Send(Text("late")));
}

TEST(HttpServer, DrainsWhatIsUnderWayAndTakesNothingNew) {
  std::promise<HttpReply> asked;
  const auto server =
      Serve([&asked](const HttpRequest&, const HttpReply& reply) { asked.set_value(reply); });
  RawClient idle(server->port());
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const HttpReply reply = asked.get_future().get();
  server->StopAccepting();
  EXPECT_EQ(idle.ReadAll(), "");
  EXPECT_FALSE(RawClient::CanConnect(server->port()));
  EXPECT_TRUE(reply.Send(Text("the last answer")));
  const std::string all = client.ReadAll();
  EXPECT_THAT(all, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(all, EndsWith("the last answer"));
  client.Close();
  EXPECT_TRUE(server->AwaitClosed(std::chrono::hours(1)));
  EXPECT_EQ(server->stats().open_connections, 0);
}

}  // namespace
}  // namespace fathom
