#include "net/response_parser.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr ResponseParser::Limits kLimits = {.header_bytes = 200, .body_bytes = 10};

// "status [body]", with "+" for a connection that can be used again; or what the error says.
std::string Parse(std::string_view text, size_t piece, bool after_head = false) {
  ResponseParser parser(after_head, kLimits);
  std::string body;
  while (!parser.done()) {
    const std::string_view bytes = text.substr(0, piece);
    text.remove_prefix(bytes.size());
    const Status status = bytes.empty() ? parser.End() : parser.Feed(bytes);
    if (!status.ok()) return status.error().what;
    if (parser.header_done()) body += parser.TakeBody();
  }
  return Format("{} [{}]{}", parser.head().status, body, parser.reusable() ? "+" : "");
}

TEST(ResponseParser, ReadsAnAnswerHoweverItArrives) {
  struct Row {
    std::string text;
    std::string outcome;
  };
  const std::vector<Row> rows = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "200 [abc]+"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 []+"},
      {"HTTP/1.1 204 No Content\r\n\r\n", "204 []+"},
      {"HTTP/1.1 404 X\r\nConnection: close\r\nContent-Length: 1\r\n\r\na", "404 [a]"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
       "200 [abc]+"},
      {"HTTP/1.1 200 OK\r\n\r\nuntil end", "200 [until end]"},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"
       "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
       "200 [a]+"},
      {"", "the server closed the connection without an answer"},
      {"HTTP/1.1 200 OK\r\nConte", "the server closed the connection in the middle of its answer"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
       "the server closed the connection in the middle of its answer"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
       "the server closed the connection in the middle of its answer"},
      {"SSH-2.0-OpenSSH\r\n\r\n", "the answer is not HTTP/1.1: bad version"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n",
       "the body of the answer is larger than 10 bytes"},
      {"HTTP/1.1 200 OK\r\n\r\n01234567890", "the body of the answer is larger than 10 bytes"},
      {"HTTP/1.1 200 OK\r\nA: " + std::string(200, 'x') + "\r\n\r\n",
       "the header of the answer is larger than 200 bytes"},
  };
  for (const Row& row : rows) {
    for (const size_t piece : {size_t{1}, size_t{2}, size_t{5}, size_t{1000}}) {
      EXPECT_EQ(Parse(row.text, piece), row.outcome) << row.text << "\nin pieces of " << piece;
    }
  }
}

TEST(ResponseParser, AfterHeadThereIsNoBody) {
  EXPECT_EQ(Parse("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", 1000, true), "200 []+");
}

TEST(ResponseParser, WhatComesBeyondTheAnswerEndsTheConnection) {
  EXPECT_EQ(Parse("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc", 1000), "200 [a]");
}

}  // namespace
}  // namespace fathom
