// What is decided by the header of a request alone: answers before the body, and who is served when
// all connections are in use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <string_view>
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
using ::testing::Not;

HttpVerdict Screen(const HttpRequest& head) {
  if (head.path == "/no") return {.answer = HttpResponse{403, {}, "no", "text/plain"}};
  if (head.path == "/small") return {.max_body_bytes = 4};
  return {.vital = head.path == "/vital"};
}

std::unique_ptr<HttpServer> ServeScreened(const HttpServerOptions& options = AnyPort()) {
  return Serve(Echo, options, nullptr, Screen);
}

TEST(HttpScreen, AnswersBeforeTheBodyIsReadOrAskedFor) {
  const auto server = ServeScreened();
  const std::string post = "POST /no HTTP/1.1\r\nHost: h\r\n";
  for (const std::string& bytes :
       {post + "Content-Length: 1000000\r\n\r\n", post + "Content-Length: 10\r\n\r\n123",
        post + "Content-Length: 10\r\nExpect: 100-continue\r\n\r\n",
        post + "Content-Length: 99000000\r\n\r\n",  // more than is ever read
        post + "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
        post + "Transfer-Encoding: chunked\r\n\r\nno chunk\r\n"}) {
    SCOPED_TRACE(bytes);
    RawClient client(server->port());
    client.Send(bytes);
    const auto answer = client.ReadAnswer();
    EXPECT_EQ(answer.status(), 403) << answer.head;
    EXPECT_THAT(answer.head, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_EQ(answer.body, "no");
    EXPECT_EQ(client.ReadAll(), "");
  }
  EXPECT_EQ(server->stats().requests, 0);
}

TEST(HttpScreen, AConnectionWhoseBodyHasComeGoesOn) {
  const auto server = ServeScreened();
  RawClient client(server->port());
  client.Send(
      "GET /no HTTP/1.1\r\nHost: h\r\n\r\n"
      "HEAD /no HTTP/1.1\r\nHost: h\r\n\r\n"
      "POST /no HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"
      "POST /no HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
      "GET /yes HTTP/1.1\r\nHost: h\r\n\r\n");
  for (const bool head_only : {false, true, false, false}) {
    const auto answer = client.ReadAnswer(head_only);
    EXPECT_EQ(answer.status(), 403);
    EXPECT_THAT(answer.head, Not(HasSubstr("Connection: close")));
  }
  EXPECT_EQ(client.ReadAnswer().body, "GET /yes []");
  EXPECT_EQ(server->stats().requests, 1);
}

TEST(HttpScreen, AClientThatStillSendsGetsToReadTheAnswerAndNothingIsKept) {
  const auto server = ServeScreened();
  RawClient client(server->port());
  client.Send("POST /no HTTP/1.1\r\nHost: h\r\nContent-Length: 16777216\r\n\r\n");
  EXPECT_TRUE(client.Send(std::string(16 << 20, 'b')));
  EXPECT_EQ(server->stats().body_bytes, 0);
  EXPECT_EQ(client.ReadAnswer().body, "no");
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpScreen, LimitsTheBody) {
  const auto server = ServeScreened();
  const auto send = [&](std::string_view path, std::string_view rest) {
    RawClient client(server->port());
    client.Send(Format("POST {} HTTP/1.1\r\nHost: h\r\n{}", path, rest));
    return client.ReadAnswer().body;
  };
  EXPECT_EQ(send("/small", "Content-Length: 4\r\n\r\n1234"), "POST /small [1234]");
  EXPECT_EQ(send("/small", "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"),
            "413: the body has 5 bytes, and at most 4 are allowed; send less at once");
  EXPECT_EQ(send("/large", "Content-Length: 5\r\n\r\n12345"), "POST /large [12345]");
}

// A server whose only connection is in use. No time passes.
class ReserveTest : public ::testing::Test {
 protected:
  static constexpr int kReserve = 64;

  ReserveTest() : busy_(server_->port()) {
    busy_.Send("GET /busy HTTP/1.1\r\nHost: h\r\n\r\n");
    reply_ = std::make_unique<HttpReply>(asked_.get_future().get());
  }

  static HttpServerOptions OneConnection() {
    HttpServerOptions options = AnyPort();
    options.max_connections = 1;
    return options;
  }
  std::unique_ptr<RawClient> Ask(std::string_view request) {
    auto client = std::make_unique<RawClient>(server_->port());
    client->Send(Format("{} HTTP/1.1\r\nHost: h\r\n\r\n", request));
    return client;
  }
  void ExpectVitalIsServed() {
    const auto client = Ask("GET /vital");
    const auto answer = client->ReadAnswer();
    EXPECT_EQ(answer.body, "GET /vital []");
    EXPECT_THAT(answer.head, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_EQ(client->ReadAll(), "");
  }

  ManualClock clock_;
  std::promise<HttpReply> asked_;
  const std::unique_ptr<HttpServer> server_ = Serve(
      [this](const HttpRequest& request, const HttpReply& reply) {
        if (request.path != "/busy") return Echo(request, reply);
        asked_.set_value(reply);
      },
      OneConnection(), &clock_, Screen);
  RawClient busy_;
  std::unique_ptr<HttpReply> reply_;
};

TEST_F(ReserveTest, ServesWhatIsVitalOnly) {
  ExpectVitalIsServed();
  EXPECT_EQ(Ask("GET /no")->ReadAnswer().status(), 403);
  const auto refused = Ask("GET /other")->ReadAnswer();
  EXPECT_EQ(refused.status(), 503);
  EXPECT_EQ(refused.body, "503: all 1 connections are in use");
  EXPECT_THAT(refused.head, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_EQ(server_->stats().refused_connections, 1);
  EXPECT_EQ(server_->stats().requests, 2);  // the busy one and the vital one
  EXPECT_TRUE(reply_->Send(Text("done")));
  EXPECT_EQ(busy_.ReadAnswer().body, "done");
}

TEST_F(ReserveTest, ClientsThatSayNothingDoNotUseItUp) {
  std::vector<std::unique_ptr<RawClient>> silent;
  silent.reserve(kReserve + 3);
  for (int i = 0; i < kReserve + 3; ++i) {
    silent.push_back(std::make_unique<RawClient>(server_->port()));
  }
  ExpectVitalIsServed();
  const HttpServerStats stats = server_->stats();
  EXPECT_EQ(stats.evicted_connections + stats.refused_connections, 4);
}

TEST_F(ReserveTest, ClientsThatWereRefusedAndStayDoNotUseItUp) {
  std::vector<std::unique_ptr<RawClient>> refused;
  for (int i = 0; i < kReserve + 3; ++i) {
    refused.push_back(Ask("GET /other"));
    ASSERT_EQ(refused.back()->ReadAnswer().status(), 503) << i;
  }
  ExpectVitalIsServed();
}

TEST_F(ReserveTest, DoesNotTakeFromTheConnectionsThatAreAllowed) {
  RawClient spare(server_->port());  // says nothing, and stays
  busy_.Close();
  reply_.reset();
  // It is told 503 until the server knows that the busy client is gone.
  RawClient::Answer answer;
  do answer = Ask("GET /other")->ReadAnswer();
  while (answer.status() == 503);
  EXPECT_EQ(answer.body, "GET /other []");
  EXPECT_FALSE(spare.HasInput());
}

}  // namespace
}  // namespace fathom
