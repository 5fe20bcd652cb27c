// What a client may take up: time, bytes, connections. Time-outs are short where a test waits for
// one, and the default where none may come; no test looks at a clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock_testing.h"
#include "base/format.h"
#include "net/http_message.h"
#include "net/http_options.h"
#include "net/http_reply.h"
#include "net/http_server.h"
#include "net/raw_client_testing.h"
#include "net/server_testing.h"

namespace fathom {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// Status, body, and the end of the connection: a fault is the last thing that is said.
void ExpectLastAnswer(RawClient& client, int status, std::string_view body) {
  const auto answer = client.ReadAnswer();
  EXPECT_EQ(answer.status(), status);
  EXPECT_THAT(answer.head, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_EQ(answer.body, body);
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpLimits, WhatIsNoRequestIsAnsweredInTheFormTheServerIsGiven) {
  HttpServerOptions options = AnyPort();
  options.max_header_bytes = 1000;
  options.max_body_bytes = 100;
  const auto server = Serve(Echo, options);
  struct Row {
    std::string bytes;
    int status;
    std::string body;
  };
  const std::string chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string too_large =
      "413: the body has 101 bytes, and at most 100 are allowed; send less at once";
  const std::vector<Row> rows = {
      {"nonsense\r\n\r\n", 400,
       "400: the request line is 'nonsense', expected METHOD TARGET HTTP/1.1"},
      {"GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(5000, 'a'), 431,
       "431: the header is larger than the 1000 bytes that are allowed"},
      // Declared: refused before the body comes.
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n", 413, too_large},
      {"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n", 413,
       too_large},
      {chunked + "60\r\n" + std::string(0x60, 'a') + "\r\n60\r\n", 413,
       "413: the body has more than the 100 bytes that are allowed; send less at once"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.bytes.substr(0, 60));
    RawClient client(server->port());
    client.Send(row.bytes);
    ExpectLastAnswer(client, row.status, row.body);
  }
  EXPECT_EQ(server->stats().requests, 0);
}

TEST(HttpLimits, WhoMakesTheAnswerToARefusalHearsWhatIsKnownOfTheRequest) {
  HttpServerOptions options = AnyPort();
  options.max_body_bytes = 100;
  options.host = "127.0.0.1";
  const auto give_up = [](const HttpRequest&, const HttpReply&) {};
  const auto known = [](const HttpRefusal& refusal) {
    const HttpRequest& request = refusal.request;
    return Text(Format("{} {} {} {} {}", refusal.status, request.method, request.path,
                       request.Header("X-A").value_or("none"), request.peer));
  };
  const auto server = HttpServer::Listen(options, {give_up, known});
  ASSERT_TRUE(server.ok());
  struct Row {
    std::string bytes, known;
  };
  const Row rows[] = {
      {"POST /a HTTP/1.1\r\nHost: h\r\nX-A: b\r\nContent-Length: 101\r\n\r\n", "413 POST /a b"},
      {"POST /a HTTP/1.1\r\nHost: h\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
       "400 POST /a b"},
      {"POST /a HTTP/1.1\r\nX-A: b\r\nwrong name: c\r\nX-C: d\r\n\r\n", "400 POST /a b"},
      {"POST /a HTTP/1.1\r\nX-A: b\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
       "400 POST /a b"},
      {"POST /%zz HTTP/1.1\r\nX-A: b\r\n\r\n", "400 POST  b"},
      {"POST /a HTTP/1.1\r\nX-A: b\r\nX-C: " + std::string(70'000, 'c'), "431 POST /a b"},
      // A trailer is no header.
      {"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
       "0\r\nX-A: b\r\nno header\r\n\r\n",
       "400 POST /a none"},
      {"POST /a HTTP/1.1\r\nHost: h\r\nX-A: b\r\n\r\n", "500 POST /a b"},
      {"GET /a\r\n\r\n", "400   none"},
  };
  for (const Row& row : rows) {
    RawClient client((*server)->port());
    client.Send(row.bytes);
    EXPECT_EQ(client.ReadAnswer().body, row.known + " " + client.address()) << row.bytes;
  }
}

TEST(HttpLimits, AClientThatStillSendsItsBodyGetsToReadTheRefusal) {
  HttpServerOptions options = AnyPort();
  options.max_body_bytes = 100;
  const auto server = Serve(Echo, options);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 16777216\r\n\r\n");
  EXPECT_TRUE(client.Send(std::string(16 << 20, 'b')));
  ExpectLastAnswer(
      client, 413,
      "413: the body has 16777216 bytes, and at most 100 are allowed; send less at once");
}

// Lets time pass until the server says something or hangs up. Its threads look at the clock every
// 5 ms here, since the options' shortest time is 20 ms.
class TimeoutTest : public ::testing::Test {
 protected:
  static HttpServerOptions ShortTimes() {
    HttpServerOptions options = AnyPort();
    options.header_timeout_ms = options.body_timeout_ms = options.idle_timeout_ms = 20;
    return options;
  }
  void PassUntilInput(RawClient& client) {
    while (!client.HasInput()) clock_.Pass(0.001);
  }

  ManualClock clock_;
};

TEST_F(TimeoutTest, AHeaderThatIsNotCompleteInTimeIsAnswered408) {
  const auto server = Serve(Echo, ShortTimes(), &clock_);
  RawClient client(server->port());
  client.Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\nA:");
  EXPECT_EQ(client.ReadAnswer().body, "GET /1 []");
  PassUntilInput(client);
  ExpectLastAnswer(client, 408, "408: the header was not complete after 20 ms");
}

// However its lines came: the last one could still have been folded.
TEST_F(TimeoutTest, WhoMakesTheAnswerToHalfAHeaderHearsTheLinesThatCame) {
  const auto known = [](const HttpRefusal& refusal) {
    const HttpRequest& request = refusal.request;
    return Text(Format("{} {} {} {} {}", refusal.status, request.method, request.path,
                       request.Header("X-A").value_or("none"), request.headers.size()));
  };
  const auto server = HttpServer::Listen(ShortTimes(), {Echo, known}, &clock_);
  ASSERT_TRUE(server.ok());
  struct Row {
    std::string bytes, known;
  };
  const Row rows[] = {
      {"GET /a HTTP/1.1\r\nHost: h\r\nX-A: b\r\nX-C: d", "408 GET /a b 2"},
      {"GET /a HTTP/1.1\r\nX-A: b\r\n", "408 GET /a b 1"},
      {"GET /a HTTP/1.1\r\n", "408 GET /a none 0"},
      {"GET /a HTTP/1.1", "408   none 0"},
  };
  for (const Row& row : rows) {
    RawClient client((*server)->port());
    // What came with a request that is answered has been read before time passes.
    client.Send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n" + row.bytes);
    EXPECT_EQ(client.ReadAnswer().status(), 200);
    PassUntilInput(client);
    EXPECT_EQ(client.ReadAnswer().body, row.known) << row.bytes;
  }
}

// The client may stay and read on for long.
TEST_F(TimeoutTest, ABodyThatIsRefusedGivesItsBudgetBackBeforeTheAnswer) {
  const auto server = Serve(Echo, ShortTimes(), &clock_);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
  client.Send(std::string(900'000, 'b'));
  while (server->stats().body_bytes < 900'000 - (64 << 10)) std::this_thread::yield();
  PassUntilInput(client);
  EXPECT_EQ(server->stats().body_bytes, 0);
  EXPECT_EQ(client.ReadAnswer().status(), 408);
}

TEST_F(TimeoutTest, HalfABodyIsAnswered408) {
  const auto server = Serve(Echo, ShortTimes(), &clock_);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n");
  client.ReadUntil("\r\n\r\n");
  PassUntilInput(client);
  ExpectLastAnswer(client, 408,
                   "408: the body came too slowly: 0 bytes, then a wait of more than 20 ms or less "
                   "than 1024 bytes a second");
}

TEST_F(TimeoutTest, ABodyThatDripsIsAnswered408ThoughItNeverPauses) {
  HttpServerOptions options = AnyPort();
  options.header_timeout_ms = 20;  // for the threads to look often
  options.body_timeout_ms = 60'000;
  options.min_body_bytes_per_s = 1000;
  const auto server = Serve(Echo, options, &clock_);
  RawClient client(server->port());
  client.Send(
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 33554432\r\n\r\n");
  client.ReadUntil("\r\n\r\n");
  for (int sent = 0; !client.HasInput(); ++sent) {
    ASSERT_TRUE(client.Send("b"));
    clock_.Pass(0.01);  // a hundred bytes a second, and never a minute without one
    ASSERT_LT(sent, 1'000'000);
  }
  EXPECT_EQ(client.ReadAnswer().status(), 408);
}

TEST_F(TimeoutTest, AnIdleConnectionIsClosedWithoutAWord) {
  const auto server = Serve(Echo, ShortTimes(), &clock_);
  RawClient silent(server->port());
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().body, "GET / []");
  PassUntilInput(silent);
  EXPECT_EQ(silent.ReadAll(), "");
  PassUntilInput(client);
  EXPECT_EQ(client.ReadAll(), "");
}

TEST_F(TimeoutTest, AnAnswerMayTakeLongerThanAnyTimeout) {
  std::promise<HttpReply> asked;
  const auto server =
      Serve([&asked](const HttpRequest&, const HttpReply& reply) { asked.set_value(reply); },
            ShortTimes(), &clock_);
  RawClient client(server->port());
  RawClient idle(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const HttpReply reply = asked.get_future().get();
  PassUntilInput(idle);  // the threads have looked: what is overdue is closed
  EXPECT_TRUE(reply.Send(Text("done")));
  EXPECT_EQ(client.ReadAnswer().body, "done");
}

TEST_F(TimeoutTest, WhoTakesNothingOfAWholeAnswerIsDropped) {
  HttpServerOptions options = AnyPort();
  options.write_timeout_ms = 20;
  std::promise<HttpReply> asked;
  const std::string body(64 << 20, 'b');
  const auto server = Serve(
      [&](const HttpRequest&, const HttpReply& reply) {
        reply.Send(Text(body));
        asked.set_value(reply);
      },
      options, &clock_);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const HttpReply reply = asked.get_future().get();
  server->StopAccepting();
  while (!server->AwaitClosed(std::chrono::milliseconds(1))) clock_.Pass(0.01);
  EXPECT_EQ(server->stats().dropped_slow_readers, 1);
  EXPECT_EQ(server->stats().buffered_bytes, 0);
  EXPECT_EQ(reply.WhyDropped(), "the client took nothing of its answer for 20 ms");
}

// As long as the handler keeps the requests' bodies, and whatever part of one has come.
TEST(HttpLimits, BodiesTogetherAreLimited) {
  HttpServerOptions options = AnyPort();
  options.max_body_bytes = 1 << 20;
  options.max_total_body_bytes = 1 << 20;
  std::mutex mutex;
  std::vector<HttpRequest> kept;
  const auto server = Serve(
      [&](HttpRequest request, const HttpReply& reply) {
        if (request.path == "/keep") {
          const std::lock_guard lock(mutex);
          kept.push_back(std::move(request));
        }
        reply.Send(Text("taken"));
      },
      options);
  const auto send = [&](std::string_view path, size_t bytes) {
    auto client = std::make_unique<RawClient>(server->port());
    client->Send(Format("POST {} HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n", path, bytes));
    client->Send(std::string(bytes, 'b'));
    return client;
  };
  EXPECT_EQ(send("/keep", 900 << 10)->ReadAnswer().status(), 200);
  EXPECT_EQ(server->stats().body_bytes, (900 - 64) << 10);
  const auto refused = send("/", 900 << 10);
  EXPECT_EQ(refused->ReadAnswer().status(), 503);
  EXPECT_EQ(server->stats().body_bytes, (900 - 64) << 10);  // while that client is still there
  for (int i = 0; i < 30; ++i) EXPECT_EQ(send("/keep", 64 << 10)->ReadAnswer().status(), 200);
  {
    const std::lock_guard lock(mutex);
    kept.front().DropBody();
  }
  EXPECT_EQ(send("/", 1 << 20)->ReadAnswer().status(), 200);
  while (server->stats().body_bytes > 0) std::this_thread::yield();
}

TEST(HttpLimits, IdleConnectionsMakeRoomForNewOnes) {
  HttpServerOptions options = AnyPort();
  options.max_connections = 200;
  const auto server = Serve(Echo, options);
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 200; ++i) {
    idle.push_back(std::make_unique<RawClient>(server->port()));
    if (i % 2 == 0) continue;  // the others say nothing at all
    idle.back()->Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    ASSERT_EQ(idle.back()->ReadAnswer().body, "GET / []");
  }
  RawClient client(server->port());
  client.Send("GET /new HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().body, "GET /new []");
  EXPECT_EQ(server->stats().evicted_connections, 1);
  EXPECT_EQ(server->stats().refused_connections, 0);
}

TEST(HttpLimits, WhenAllConnectionsAreBusyANewOneIsTold503) {
  HttpServerOptions options = AnyPort();
  options.max_connections = 2;
  std::vector<std::promise<HttpReply>> asked(2);
  const auto server = Serve(
      [&asked](const HttpRequest& request, const HttpReply& reply) {
        if (request.path == "/new") return Echo(request, reply);
        asked[request.path == "/0" ? 0 : 1].set_value(reply);
      },
      options);
  RawClient busy[] = {RawClient(server->port()), RawClient(server->port())};
  for (int i = 0; i < 2; ++i) busy[i].Send(Format("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", i));
  const HttpReply replies[] = {asked[0].get_future().get(), asked[1].get_future().get()};
  RawClient refused(server->port());
  refused.Send("GET /new HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto answer = refused.ReadAnswer();
  EXPECT_EQ(answer.status(), 503);
  EXPECT_EQ(answer.body, "503: all 2 connections are in use");
  EXPECT_EQ(refused.ReadAll(), "");
  refused.Close();
  EXPECT_EQ(server->stats().refused_connections, 1);

  replies[0].Send(Text("done"));
  EXPECT_EQ(busy[0].ReadAnswer().body, "done");
  // busy[0] makes room as soon as the server knows that it is idle.
  RawClient::Answer served;
  do {
    RawClient client(server->port());
    client.Send("GET /new HTTP/1.1\r\nHost: h\r\n\r\n");
    served = client.ReadAnswer();
  } while (served.status() == 503);
  EXPECT_EQ(served.body, "GET /new []");
  EXPECT_EQ(busy[0].ReadAll(), "");
}

TEST(HttpLimits, TellsAtOnceThatAClientIsGone) {
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
      reply.StartStream(Text("first"));
      asked.set_value(reply);
    });
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /pipelined HTTP/1.1\r\nHost: h\r\n\r\n");
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

TEST(HttpLimits, NobodyIsToldOfAClientThatLeavesAfterItsAnswer) {
  std::promise<HttpReply> asked;
  bool told = false;
  auto server = Serve([&](const HttpRequest&, const HttpReply& reply) {
    reply.OnGone([&told] { told = true; });
    reply.Send(Text("done"));
    asked.set_value(reply);
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().body, "done");
  client.Close();
  const HttpReply reply = asked.get_future().get();
  server.reset();
  reply.OnGone([&told] { told = true; });
  EXPECT_FALSE(told);
}

TEST(HttpLimits, DropsAReaderThatDoesNotReadWhileAnotherGetsItsEvents) {
  std::promise<HttpReply> slow;
  std::promise<HttpReply> quick;
  std::promise<void> gone;
  const auto server = Serve([&](const HttpRequest& request, const HttpReply& reply) {
    reply.StartStream(Text(""));
    (request.path == "/slow" ? slow : quick).set_value(reply);
  });
  RawClient slow_client(server->port());
  RawClient quick_client(server->port());
  slow_client.Send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  quick_client.Send("GET /quick HTTP/1.1\r\nHost: h\r\n\r\n");
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
  EXPECT_GE(pieces, 16);  // that is the megabyte that may wait
  EXPECT_THAT(slow_reply.WhyDropped(),
              MatchesRegex("the client did not read: [0-9]{7,} bytes waited for it, and at most "
                           "1048576 may"));
  EXPECT_EQ(quick_reply.WhyDropped(), "");
  EXPECT_EQ(server->stats().dropped_slow_readers, 1);
  EXPECT_TRUE(quick_reply.Write("still here"));
  EXPECT_TRUE(quick_reply.Finish());
  EXPECT_EQ(quick_client.ReadUntil("0\r\n\r\n"), "a\r\nstill here\r\n0\r\n\r\n");
  server->StopAccepting();
  quick_client.Close();
  EXPECT_TRUE(server->AwaitClosed(std::chrono::hours(1)));
  EXPECT_EQ(server->stats().buffered_bytes, 0);
}

TEST(HttpLimits, AWholeAnswerMayBeLargerThanTheBufferOfAStream) {
  HttpServerOptions options = AnyPort();
  options.write_buffer_bytes = 10;
  const std::string body(3 << 20, 'b');
  const auto server = Serve(
      [&body](const HttpRequest&, const HttpReply& reply) { reply.Send(Text(body)); }, options);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().body, body);
}

TEST(HttpLimits, AThousandReadersAreServedByTwoThreads) {
  constexpr int kReaders = 1000;
  std::vector<std::promise<HttpReply>> asked(kReaders);
  HttpServerOptions options = AnyPort();
  options.max_connections = 3 * kReaders;  // the clients' ends are files of this process too
  const auto server = Serve(
      [&asked](const HttpRequest& request, const HttpReply& reply) {
        reply.StartStream(Text(""));
        asked[std::stoul(request.path.substr(1))].set_value(reply);
      },
      options);
  boost::asio::io_context io;
  std::vector<std::unique_ptr<RawClient>> readers;
  std::vector<HttpReply> replies;
  for (int i = 0; i < kReaders; ++i) {
    readers.push_back(std::make_unique<RawClient>(server->port(), "127.0.0.1", io));
    readers.back()->Send(Format("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", i));
    replies.push_back(asked[static_cast<size_t>(i)].get_future().get());
  }
  for (int event = 0; event < 3; ++event) {
    for (const HttpReply& reply : replies) ASSERT_TRUE(reply.Write(Format("data: {}\n\n", event)));
  }
  for (const HttpReply& reply : replies) ASSERT_TRUE(reply.Finish());
  for (const auto& reader : readers) {
    ASSERT_EQ(reader->ReadAnswer().body, "data: 0\n\ndata: 1\n\ndata: 2\n\n");
  }
}

}  // namespace
}  // namespace fathom
