#include "net/request_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "net/http_message.h"

namespace fathom {
namespace {

constexpr HttpRequestLimits kLimits = {.header_bytes = 400, .body_bytes = 10};

// What comes out of `text`, fed in pieces: "GET /path?query [body]", "continue", "400 why", "more".
std::vector<std::string> Parse(std::string_view text, size_t piece) {
  RequestParser parser(kLimits);
  std::vector<std::string> events;
  while (!text.empty()) {
    parser.Feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
    while (true) {
      const RequestParser::Event event = parser.Next();
      if (event == RequestParser::Event::kNeedMore) break;
      if (event == RequestParser::Event::kHeader) continue;
      if (event == RequestParser::Event::kContinue) {
        events.push_back("continue");
      } else if (event == RequestParser::Event::kRequest) {
        const HttpRequest request = parser.Take().request;
        events.push_back(
            Format("{} {}?{} [{}]", request.method, request.path, request.query, request.body));
      } else {
        events.push_back(Format("{} {}", parser.fault().status, parser.fault().message));
        return events;
      }
    }
  }
  if (!parser.between_requests()) events.push_back("more");
  return events;
}

struct Row {
  std::string text;
  std::vector<std::string> events;
};

void Check(const std::vector<Row>& rows, const std::vector<size_t>& pieces) {
  for (const Row& row : rows) {
    for (const size_t piece : pieces) {
      EXPECT_EQ(Parse(row.text, piece), row.events) << row.text << "\nin pieces of " << piece;
    }
  }
}

TEST(RequestParser, CutsBytesIntoRequestsHoweverTheyArrive) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  Check(
      {
          {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", {"GET /? []"}},
          {"GET /a%2Fb%20c?x=%20&y HTTP/1.0\r\n\r\n", {"GET /a/b c?x=%20&y []"}},
          {"GET http://host:1/p?q HTTP/1.1\r\nHost: h\r\n\r\n", {"GET /p?q []"}},
          {"GET http://host HTTP/1.1\r\nHost: h\r\n\r\n", {"GET /? []"}},
          {"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", {"OPTIONS *? []"}},
          {"GET / HTTP/1.1\r\nHost:\r\n\r\n", {"GET /? []"}},
          {"GET / HTTP/1.0\r\n\r\n", {"GET /? []"}},
          {"GET / HTTP/1.1\r\nHost: h\r\nContent-Encoding: identity\r\n\r\n", {"GET /? []"}},
          {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET /2 HTTP/1.1\r\nHost: "
           "h\r\n\r\n",
           {"POST /? [abc]", "GET /2? []"}},
          {"POST / HTTP/1.1\r\nHost: h\r\ncontent-length: 10\r\n\r\n0123456789",
           {"POST /? [0123456789]"}},
          {chunked + "3\r\nabc\r\n2;name=\"v\"\r\nde\r\n0\r\nTrailer: x\r\n\r\n",
           {"POST /? [abcde]"}},
          {chunked + "A\r\n0123456789\r\n0\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
           {"POST /? [0123456789]", "GET /2? []"}},
          {chunked + "0\r\n\r\n", {"POST /? []"}},
          // A line break too many behind a body.
          {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na\r\nGET /2 HTTP/1.1\r\nHost: "
           "h\r\n\r\n",
           {"POST /? [a]", "GET /2? []"}},
          {"\r\n\r\n", {}},
          {"GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n", {"more"}},
          {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab", {"more"}},
          {"GET / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n",
           {"GET /? []"}},  // no body to wait for
      },
      {1, 2, 3, 7, 1000});
}

TEST(RequestParser, NamesWhatIsWrong) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string long_value(500, 'x');
  const std::string many_lines = [] {
    std::string lines;
    for (int i = 0; i < 100; ++i) lines += "A: b\r\n";
    return lines;
  }();
  const std::string header_large = "431 the header is larger than the 400 bytes that are allowed";
  const std::string body_large =
      "413 the body has more than the 10 bytes that are allowed; send less at once";
  const std::string chunk_head_large =
      "431 the head of a chunk, or the trailer, is larger than the 400 bytes that are allowed";
  const std::string post = "POST / HTTP/1.1\r\nHost: h\r\n";
  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n";
  Check(
      {
          {"GET /" + long_value + " HTTP/1.1\r\n\r\n", {header_large}},
          {get + "A: " + long_value + "\r\n\r\n", {header_large}},
          {get + many_lines + "\r\n", {header_large}},
          {get + many_lines, {header_large}},
          {post + "Content-Length: 11\r\n\r\n",
           {"413 the body has 11 bytes, and at most 10 are allowed; send less at once"}},
          {post + "Content-Length: 99999999999\r\n\r\n",
           {"413 the body has 99999999999 bytes, and at most 10 are allowed; send less at once"}},
          {post + "Content-Length: 99999999999999999999\r\n\r\n",  // more than 64 bits hold
           {"413 the body has 99999999999999999999 bytes, and at most 10 are allowed; send less at "
            "once"}},
          {chunked + "9\r\n012345678\r\n2\r\nab\r\n0\r\n\r\n", {body_large}},
          {chunked + "ffffffffffffffff\r\n", {body_large}},
          {chunked + "10000000000000000\r\n",
           {"413 the body has 0x10000000000000000 bytes, and at most 10 are allowed; send less at "
            "once"}},
          {chunked + "1;" + long_value, {chunk_head_large}},
          {chunked + "0\r\nA: " + long_value, {chunk_head_large}},
          {chunked + "x\r\n",
           {"400 a chunk of the body begins with 'x', expected its length in hexadecimal digits"}},
          {chunked + "2 b\r\n",
           {"400 a chunk of the body begins with '2 b', expected its length and ;NAME=VALUE"}},
          {chunked + "1\r\nabcd\r\n", {"400 a chunk of the body is longer than its length says"}},
          {chunked + "1\r\na\r\n0\r\nno header\r\n\r\n",
           {"400 the trailer behind the body's last chunk has a line that is no header"}},
          {chunked + "1\r\na\r\n0;name=v\r\nno header\r\n\r\n",
           {"400 the trailer behind the body's last chunk has a line that is no header"}},
          {chunked + "0;=\r\n\r\n",
           {"400 a chunk of the body begins with '0;=', expected its length and ;NAME=VALUE"}},
          {chunked + "5\nhello\r\n",
           {"400 the first line '5' of a chunk of the body does not end in CR LF"}},
          {chunked + "5\rhello\r\n",
           {"400 the first line '5' of a chunk of the body does not end in CR LF"}},
          {chunked + "1\r\na\r\n2;n=v\nbc\r\n",
           {"400 the first line '2;n=v' of a chunk of the body does not end in CR LF"}},
          {chunked + "1\r\na\r\n0\n\r\n\r\n",
           {"400 the first line '0' of a chunk of the body does not end in CR LF"}},
      },
      {1, 3, 10'000});
}

TEST(RequestParser, NamesTheOneThingThatIsWrongWithALine) {
  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n";
  struct Fault {
    std::string text, message;
  };
  const std::vector<Fault> rows = {
      {"\x16\x03\x01\x02hello",
       "400 the request begins with '\\x16', expected a method such as GET (is this TLS, sent to a "
       "plain port?)"},
      {"G(T / HTTP/1.1\r\n", "400 the method 'G(T' holds '(', which no method may"},
      {"GET\r\n", "400 the request line is 'GET', expected METHOD TARGET HTTP/1.1"},
      {"GET /\r\n", "400 the request line is 'GET /', expected METHOD TARGET HTTP/1.1"},
      {"GET  HTTP/1.1\r\n", "400 the target is '', expected a path in percent-encoding"},
      {"GET / HTTP/1.1\n", "400 the request line 'GET / HTTP/1.1' does not end in CR LF"},
      {"PRI * HTTP/2.0\r\n",
       "505 the request is in HTTP/2.0; this server speaks HTTP/1.1 and HTTP/1.0"},
      {"GET / FTP/1.1\r\n",
       "400 the request line ends in 'FTP/1.1', expected HTTP/1.1 or HTTP/1.0"},
      {"GET /a b HTTP/1.1\r\n",
       "400 the request line ends in 'b HTTP/1.1', expected HTTP/1.1 or HTTP/1.0; write a space of "
       "the target as %20"},
      {"GET relative HTTP/1.1\r\nHost: h\r\n\r\n",
       "400 the target is 'relative', expected a path that begins with /"},
      {"GET /a%20%4 HTTP/1.1\r\nHost: h\r\n\r\n",
       "400 the target '/a%20%4' holds the escape '%4', which stands for no character"},
      {"GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n",
       "400 the target '/%00' holds the escape '%00', which stands for no character"},
      {get + "a b: c\r\n", "400 the header name 'a b' holds ' ', which no name may"},
      {get + "\x1b[31m: c\r\n", "400 the header name '\\x1b[31m' holds '\\x1b', which no name may"},
      {get + std::string(99, 'a') + "(: c\r\n",
       "400 the header name '" + std::string(60, 'a') + "...' holds '(', which no name may"},
      {get + ": c\r\n", "400 the header name '' is empty"},
      {get + "a\r\n", "400 the header line 'a' has no colon, expected NAME: VALUE"},
      {get + "A: b\n", "400 the header line 'A: b' does not end in CR LF"},
      {get + "A: b\x01\r\n", "400 the header A has the invalid value 'b\\x01'"},
      {get + "Content-Length: 1\r\nContent-Length: 2\r\n",
       "400 Content-Length stands twice, as 1 and 2; send one"},
      {get + "Content-Length: -1\r\n", "400 Content-Length is '-1', expected a number of bytes"},
      {get + "Content-Length: 1, 2\r\n",
       "400 Content-Length is '1, 2', expected a number of bytes"},
      {get + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
       "400 Content-Length: 1 and Transfer-Encoding: chunked stand together; send one of them"},
      {get + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
       "400 Transfer-Encoding: chunked and Content-Length: 1 stand together; send one of them"},
      {get + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
       "400 Transfer-Encoding stands twice, the second time as 'chunked'; send one"},
      {"GET / HTTP/1.1\r\nA: b\r\n\r\n",
       "400 the request has no Host header, which HTTP/1.1 demands; send Host: NAME:PORT"},
      {get + "host: i\r\n\r\n",
       "400 the header Host stands 2 times, first as 'h' and 'i'; send one"},
      {"GET / HTTP/1.0\r\nHost: h\r\nHost: i\r\n\r\n",
       "400 the header Host stands 2 times, first as 'h' and 'i'; send one"},
      {get + "Authorization: Bearer secret\r\nauthorization: Bearer other\r\n\r\n",
       "400 the header Authorization stands 2 times; send one"},
      {get + "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\na",
       "415 the body is sent with Content-Encoding: gzip; send it plain, without that header"},
      {get + "Transfer-Encoding: gzip, chunked\r\n\r\n",
       "501 the body is sent with Transfer-Encoding: gzip, chunked; only chunked is known"},
      {get + "Expect: cake\r\nContent-Length: 1\r\n\r\na",
       "417 Expect is 'cake'; only 100-continue can be met"},
  };
  for (const Fault& row : rows) Check({{row.text + "\r\n\r\n", {row.message}}}, {1, 3, 10'000});
}

TEST(RequestParser, ContinueIsAskedForOnceAndOnlyWhenTheBodyIsWaitedFor) {
  const std::string header =
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n";
  EXPECT_EQ(Parse(header + "abc", header.size()),
            (std::vector<std::string>{"continue", "POST /? [abc]"}));
  EXPECT_EQ(Parse(header + "abc", 1000), (std::vector<std::string>{"POST /? [abc]"}));
  EXPECT_EQ(
      Parse("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n",
            1000),
      (std::vector<std::string>{
          "413 the body has 11 bytes, and at most 10 are allowed; send less at once"}));
  EXPECT_EQ(Parse("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", 1000),
            (std::vector<std::string>{"more"}));
}

TEST(RequestParser, KeepsHeadersAndDropsTrailers) {
  RequestParser parser(kLimits);
  parser.Feed(
      "POST / HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\nAuthorization: Bearer late\r\n\r\n");
  ASSERT_EQ(parser.Next(), RequestParser::Event::kHeader);
  ASSERT_EQ(parser.Next(), RequestParser::Event::kRequest);
  const HttpRequest request = parser.Take().request;
  EXPECT_EQ(request.Header("X-a"), "1");
  EXPECT_EQ(request.headers.size(), 4U);
  EXPECT_EQ(request.Header("Authorization"), std::nullopt);
}

TEST(RequestParser, GivesUpWhatItHasOfABody) {
  RequestParser parser(kLimits);
  parser.Feed("POST /a?b HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n1234");
  ASSERT_EQ(parser.Next(), RequestParser::Event::kHeader);
  ASSERT_EQ(parser.Next(), RequestParser::Event::kNeedMore);
  ASSERT_EQ(parser.body_bytes(), 4);
  const HttpRequest request = parser.GiveUp();
  EXPECT_EQ(request.method + request.path + request.query, "POST/ab");
  EXPECT_EQ(request.Header("Host"), "h");
  EXPECT_EQ(request.body, "");
  EXPECT_EQ(parser.body_bytes(), 0);
  parser.Feed("56789");
  EXPECT_EQ(parser.unread_bytes(), 0U);
}

TEST(RequestParser, TellsTheHeaderBeforeItsBodyIsAskedForOrJudged) {
  RequestParser parser(kLimits, "10.0.0.7:5");
  parser.Feed("POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
  ASSERT_EQ(parser.Next(), RequestParser::Event::kHeader);
  EXPECT_EQ(parser.head().method + parser.head().path, "POST/a");
  EXPECT_EQ(parser.head().peer, "10.0.0.7:5");
  ASSERT_EQ(parser.Next(), RequestParser::Event::kContinue);

  RequestParser long_body(kLimits);
  long_body.Feed("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n");
  ASSERT_EQ(long_body.Next(), RequestParser::Event::kHeader);
  ASSERT_EQ(long_body.Next(), RequestParser::Event::kFault);
  EXPECT_EQ(long_body.GiveUp().path, "/a");
}

TEST(RequestParser, TheBodyOfARequestMayBeLimitedFurther) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  const struct {
    std::string text;
    int64_t limit;
    std::string fault;
  } rows[] = {
      {"Content-Length: 5\r\n\r\n", 4,
       "the body has 5 bytes, and at most 4 are allowed; send less at once"},
      {"Transfer-Encoding: chunked\r\n\r\n5\r\n12345", 4,
       "the body has more than the 4 bytes that are allowed; send less at once"},
      {"Content-Length: 5\r\n\r\n", 5, ""},
      {"Content-Length: 11\r\n\r\n", 100,
       "the body has 11 bytes, and at most 10 are allowed; send less at once"},
  };
  for (const auto& row : rows) {
    RequestParser parser(kLimits);
    parser.Feed(head + row.text);
    ASSERT_EQ(parser.Next(), RequestParser::Event::kHeader);
    parser.LimitBody(row.limit);
    const RequestParser::Event event = parser.Next();
    EXPECT_EQ(event == RequestParser::Event::kFault, !row.fault.empty()) << row.text;
    EXPECT_EQ(parser.fault().message, row.fault) << row.text;
  }
}

TEST(RequestParser, AWrongLineIsNamedThoughTheHeaderIsAlsoTooLarge) {
  const std::string text = "GET / HTTP/1.1\r\nHost: h\r\nA b: c\r\nD: " + std::string(500, 'x');
  Check({{text, {"400 the header name 'A b' holds ' ', which no name may"}}}, {1, 7, 10'000});
}

TEST(RequestParser, SaysWhetherTheConnectionGoesOn) {
  struct KeepAlive {
    std::string_view text;
    bool http10;
    bool keep_alive;
  };
  const std::vector<KeepAlive> rows = {
      {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", false, true},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false, false},
      {"GET / HTTP/1.0\r\n\r\n", true, false},
      {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, true},
  };
  for (const KeepAlive& row : rows) {
    RequestParser parser(kLimits);
    parser.Feed(row.text);
    ASSERT_EQ(parser.Next(), RequestParser::Event::kHeader) << row.text;
    ASSERT_EQ(parser.Next(), RequestParser::Event::kRequest) << row.text;
    const ParsedRequest parsed = parser.Take();
    EXPECT_EQ(parsed.http10, row.http10) << row.text;
    EXPECT_EQ(parsed.keep_alive, row.keep_alive) << row.text;
  }
}

}  // namespace
}  // namespace fathom
