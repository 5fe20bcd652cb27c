#include "net/request_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "net/http_message.h"

namespace fathom {
namespace {

constexpr RequestLimits kLimits = {.header_bytes = 400, .body_bytes = 10};

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
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  Check(
      {
          {"GET / HTTP/1.1\r\n\r\n", {"GET /? []"}},
          {"GET /a%2Fb%20c?x=%20&y HTTP/1.0\r\n\r\n", {"GET /a/b c?x=%20&y []"}},
          {"GET http://host:1/p?q HTTP/1.1\r\n\r\n", {"GET /p?q []"}},
          {"GET http://host HTTP/1.1\r\n\r\n", {"GET /? []"}},
          {"OPTIONS * HTTP/1.1\r\n\r\n", {"OPTIONS *? []"}},
          {"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /2 HTTP/1.1\r\n\r\n",
           {"POST /? [abc]", "GET /2? []"}},
          {"POST / HTTP/1.1\r\ncontent-length: 10\r\n\r\n0123456789", {"POST /? [0123456789]"}},
          {chunked + "3\r\nabc\r\n2;name=\"v\"\r\nde\r\n0\r\nTrailer: x\r\n\r\n",
           {"POST /? [abcde]"}},
          {chunked + "A\r\n0123456789\r\n0\r\n\r\nGET /2 HTTP/1.1\r\n\r\n",
           {"POST /? [0123456789]", "GET /2? []"}},
          {chunked + "0\r\n\r\n", {"POST /? []"}},
          // A line break too many behind a body.
          {"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\na\r\nGET /2 HTTP/1.1\r\n\r\n",
           {"POST /? [a]", "GET /2? []"}},
          {"\r\n\r\n", {}},
          {"GET / HTTP/1.1\r\nHost: h\r\n", {"more"}},
          {"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", {"more"}},
          {"GET / HTTP/1.1\r\nExpect: 100-continue\r\n\r\n", {"GET /? []"}},  // no body to wait for
      },
      {1, 2, 3, 7, 1000});
}

TEST(RequestParser, NamesWhatIsWrong) {
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string long_value(500, 'x');
  const std::string many_lines = [] {
    std::string lines;
    for (int i = 0; i < 100; ++i) lines += "A: b\r\n";
    return lines;
  }();
  const std::string bad_length =
      "400 Content-Length is no single number, or stands beside Transfer-Encoding";
  const std::string bad_chunk =
      "400 a chunk of the body does not begin with its length in hexadecimal digits";
  const std::string header_large = "431 the header is larger than the 400 bytes that are allowed";
  const std::string body_large = "413 the body is larger than the 10 bytes that are allowed";
  Check(
      {
          {"\x16\x03\x01\x02hello\r\n\r\n",
           {"400 the request line does not begin with a method (is this TLS, sent to a plain "
            "port?)"}},
          {"GET /\r\n\r\n", {"400 the request line holds no valid target after the method"}},
          {"GET / HTTP/2.0\r\n\r\n", {"400 the request line does not end in HTTP/1.0 or HTTP/1.1"}},
          {"GET / FTP/1.1\r\n\r\n", {"400 the request line does not end in HTTP/1.0 or HTTP/1.1"}},
          {"GET relative HTTP/1.1\r\n\r\n",
           {"400 the target is no path, or its '%' escapes are wrong"}},
          {"GET /%4 HTTP/1.1\r\n\r\n", {"400 the target is no path, or its '%' escapes are wrong"}},
          {"GET /%00 HTTP/1.1\r\n\r\n",
           {"400 the target is no path, or its '%' escapes are wrong"}},
          {"GET / HTTP/1.1\r\na b: c\r\n\r\n", {"400 a header has an invalid name"}},
          {"GET / HTTP/1.1\r\nA: b\x01\r\n\r\n", {"400 a header has an invalid value"}},
          {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", {bad_length}},
          {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\na", {bad_length}},
          {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\na",
           {bad_length}},
          {"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
           {"501 the body is sent as 'gzip, chunked'; of transfer codings only chunked is known"}},
          {"POST / HTTP/1.1\r\nExpect: cake\r\nContent-Length: 1\r\n\r\na",
           {"417 'cake' is expected; only 100-continue can be met"}},
          {chunked + "x\r\n", {bad_chunk}},
          {chunked + "1\r\nabcd\r\n", {bad_chunk}},
          {"GET /" + long_value + " HTTP/1.1\r\n\r\n", {header_large}},
          {"GET / HTTP/1.1\r\nA: " + long_value + "\r\n\r\n", {header_large}},
          {"GET / HTTP/1.1\r\n" + many_lines + "\r\n", {header_large}},
          {"GET / HTTP/1.1\r\n" + many_lines, {header_large}},
          {"POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n", {body_large}},
          {"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", {body_large}},
          {chunked + "9\r\n012345678\r\n2\r\nab\r\n0\r\n\r\n", {body_large}},
          {chunked + "ffffffffffffffff\r\n", {body_large}},
          {chunked + "1;" + long_value,
           {"431 the head of a chunk, or the trailer, is larger than the 400 bytes that are "
            "allowed"}},
          {chunked + "0\r\nA: " + long_value,
           {"431 the head of a chunk, or the trailer, is larger than the 400 bytes that are "
            "allowed"}},
      },
      {1, 3, 10'000});
}

TEST(RequestParser, ContinueIsAskedForOnceAndOnlyWhenTheBodyIsWaitedFor) {
  const std::string header = "POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n";
  EXPECT_EQ(Parse(header + "abc", header.size()),
            (std::vector<std::string>{"continue", "POST /? [abc]"}));
  EXPECT_EQ(Parse(header + "abc", 1000), (std::vector<std::string>{"POST /? [abc]"}));
  EXPECT_EQ(
      Parse("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n", 1000),
      (std::vector<std::string>{"413 the body is larger than the 10 bytes that are allowed"}));
  EXPECT_EQ(Parse("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", 1000),
            (std::vector<std::string>{"more"}));
}

TEST(RequestParser, KeepsHeadersAndDropsTrailers) {
  RequestParser parser(kLimits);
  parser.Feed(
      "POST / HTTP/1.1\r\nX-A: 1\r\nx-a: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\nAuthorization: Bearer late\r\n\r\n");
  ASSERT_EQ(parser.Next(), RequestParser::Event::kRequest);
  const HttpRequest request = parser.Take().request;
  EXPECT_EQ(request.Header("X-a"), "1");
  EXPECT_EQ(request.headers.size(), 3U);
  EXPECT_EQ(request.Header("Authorization"), std::nullopt);
}

TEST(RequestParser, SaysWhetherTheConnectionGoesOn) {
  struct KeepAlive {
    std::string_view text;
    bool http10;
    bool keep_alive;
  };
  const std::vector<KeepAlive> rows = {
      {"GET / HTTP/1.1\r\n\r\n", false, true},
      {"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", false, false},
      {"GET / HTTP/1.0\r\n\r\n", true, false},
      {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, true},
  };
  for (const KeepAlive& row : rows) {
    RequestParser parser(kLimits);
    parser.Feed(row.text);
    ASSERT_EQ(parser.Next(), RequestParser::Event::kRequest) << row.text;
    const ParsedRequest parsed = parser.Take();
    EXPECT_EQ(parsed.http10, row.http10) << row.text;
    EXPECT_EQ(parsed.keep_alive, row.keep_alive) << row.text;
  }
}

}  // namespace
}  // namespace fathom
