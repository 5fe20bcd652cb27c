#include "net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/format.h"
#include "base/result.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/http_server.h"
#include "net/server_testing.h"

namespace fathom {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

std::unique_ptr<HttpClient> ClientOf(const std::string& url) {
  auto client = HttpClient::Create({.url = url});
  EXPECT_TRUE(client.ok());
  return std::move(client).value();
}

// A port that nobody listens on: it was free a moment ago.
uint16_t FreePort() { return Serve(Echo)->port(); }

TEST(HttpClient, SendsAndReadsOverOneConnection) {
  const auto server = Serve([](const HttpRequest& request, const HttpReply& reply) {
    HttpResponse response =
        Text(request.method + " " + request.path + "?" + request.query + " " +
             std::string(request.Header("X-Key").value_or("none")) + " [" + request.body + "]");
    response.status = 418;
    response.headers.Add("X-Own", "value");
    reply.Send(response);
  });
  const auto client = ClientOf(server->address() + "/base");
  const auto post = client->Send(
      {.method = "POST", .target = "/a%20b?x=1", .headers = {{"X-Key", "secret"}}, .body = "body"},
      hours(1));
  ASSERT_TRUE(post.ok()) << post.error().ToString();
  EXPECT_EQ(post->status, 418);
  EXPECT_EQ(post->Header("x-own"), "value");
  EXPECT_EQ(post->content_type, "text/plain");
  EXPECT_EQ(post->body, "POST /base/a b?x=1 secret [body]");
  const auto head = client->Send({.method = "HEAD"}, hours(1));
  ASSERT_TRUE(head.ok()) << head.error().ToString();
  EXPECT_EQ(head->body, "");
  const auto get = client->Send({}, hours(1));
  ASSERT_TRUE(get.ok()) << get.error().ToString();
  EXPECT_EQ(get->body, "GET /base/? none []");
  EXPECT_EQ(server->stats().accepted_connections, 1);
}

TEST(HttpClient, HandsAStreamOnAsItComes) {
  std::promise<HttpReply> asked;
  const auto server = Serve([&asked](const HttpRequest&, const HttpReply& reply) {
    reply.StartStream(Text("0"));
    asked.set_value(reply);
  });
  const auto client = ClientOf(server->address());
  std::string seen;
  auto reply = asked.get_future().share();
  const auto answer =
      client->Stream({}, hours(1), [&](const HttpResponse& head, std::string_view piece) {
        EXPECT_EQ(head.status, 200);
        seen += piece;
        // Only what has come moves the server to send more.
        if (seen.size() < 5) return reply.get().Write(std::to_string(seen.size()));
        return reply.get().Finish();
      });
  ASSERT_TRUE(answer.ok()) << answer.error().ToString();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "");
  EXPECT_EQ(seen, "01234");
}

TEST(HttpClient, DropsAStreamThatItsCallerHasEnoughOf) {
  std::promise<void> gone;
  const auto server = Serve([&gone](const HttpRequest& request, const HttpReply& reply) {
    if (request.path == "/next") return Echo(request, reply);
    reply.StartStream(Text("first"));
    reply.OnGone([&gone, reply] { gone.set_value(); });
  });
  const auto client = ClientOf(server->address());
  std::string seen;
  const auto answer =
      client->Stream({}, hours(1), [&seen](const HttpResponse&, std::string_view piece) {
        seen += piece;
        return false;
      });
  EXPECT_TRUE(answer.ok());
  EXPECT_EQ(seen, "first");
  gone.get_future().get();
  const auto next = client->Send({.target = "/next"}, hours(1));
  ASSERT_TRUE(next.ok()) << next.error().ToString();
  EXPECT_EQ(next->body, "GET /next []");
}

TEST(HttpClient, OpensAnotherConnectionWhenTheServerHasClosedTheOld) {
  const auto server = Serve(Echo);
  const auto client = ClientOf(server->address());
  const HttpCall closing = {.method = "POST", .headers = {{"Connection", "close"}}};
  for (int i = 0; i < 3; ++i) {
    const auto answer = client->Send(closing, hours(1));
    ASSERT_TRUE(answer.ok()) << answer.error().ToString();
  }
  EXPECT_EQ(server->stats().accepted_connections, 3);
}

TEST(HttpClient, ErrorsNameAddressAndCause) {
  const uint16_t port = FreePort();
  const auto refused = ClientOf(Format("http://127.0.0.1:{}", port))->Send({}, hours(1));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().ToString(),
            Format("error: cannot connect: Connection refused\n"
                   "  where: GET http://127.0.0.1:{}/\n"
                   "  fix: check that a server runs there, and its port\n",
                   port));
  const auto unknown = ClientOf("http://no-such-host.invalid")->Send({}, hours(1));
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().what, HasSubstr("cannot look up the name no-such-host.invalid: "));
}

TEST(HttpClient, ASilentServerTimesOut) {
  const auto server = Serve([](const HttpRequest&, const HttpReply& reply) {
    reply.OnGone([reply] {});  // kept, and never answered
  });
  const auto client = ClientOf(server->address());
  const auto answer = client->Send({.method = "POST", .target = "/x"}, milliseconds(20));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().ToString(),
            Format("error: no answer: timed out\n"
                   "  where: POST {}/x\n"
                   "  fix: check that the server is not overloaded, or wait longer\n",
                   server->address()));
  const auto stream = client->Stream({}, milliseconds(20),
                                     [](const HttpResponse&, std::string_view) { return true; });
  ASSERT_FALSE(stream.ok());
  EXPECT_EQ(stream.error().what, "no answer: timed out");
}

TEST(HttpClient, AnAnswerThatBreaksOffIsAnError) {
  const auto server =
      Serve([](const HttpRequest&, const HttpReply& reply) { reply.StartStream(Text("begun")); });
  const auto answer = ClientOf(server->address())->Send({}, hours(1));
  EXPECT_FALSE(answer.ok());
}

TEST(HttpClient, AbortEndsACallFromAnotherThread) {
  std::promise<void> asked;
  const auto server = Serve([&asked](const HttpRequest&, const HttpReply& reply) {
    reply.OnGone([reply] {});
    asked.set_value();
  });
  const auto client = ClientOf(server->address());
  std::thread aborter([&] {
    asked.get_future().get();
    client->Abort();
  });
  const auto answer = client->Send({}, hours(1));
  aborter.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().what, "no answer: Operation canceled");
  const auto later = client->Send({}, hours(1));
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().what, "cannot connect: Operation canceled");
}

}  // namespace
}  // namespace fathom
