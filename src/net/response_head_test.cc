#include "net/response_head.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "net/http_message.h"

namespace fathom {
namespace {

// The example of RFC 9110, section 5.6.7.
constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(784111777)};
const char kDate[] = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

std::string Head(const HttpResponse& response, const ResponseManner& manner, BodyEnd end) {
  std::string out;
  AppendResponseHead(out, response, manner, end, 5, kNow);
  return out;
}

TEST(ResponseHead, SaysHowTheBodyEndsAndWhetherTheConnectionStays) {
  HttpResponse response;
  EXPECT_EQ(Head(response, {}, BodyEnd::kLength),
            std::string("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n") + kDate + "\r\n");
  EXPECT_EQ(Head(response, {.keep_alive = false}, BodyEnd::kChunks),
            std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n") +
                kDate + "\r\n");
  EXPECT_EQ(Head(response, {.http10 = true}, BodyEnd::kLength),
            std::string("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n") +
                kDate + "\r\n");
  EXPECT_EQ(Head(response, {.http10 = true, .keep_alive = false}, BodyEnd::kClose),
            std::string("HTTP/1.1 200 OK\r\nConnection: close\r\n") + kDate + "\r\n");
  response.status = 204;
  EXPECT_EQ(Head(response, {}, BodyEnd::kNone),
            std::string("HTTP/1.1 204 No Content\r\n") + kDate + "\r\n");
}

TEST(ResponseHead, AValueCannotBeginAHeaderOfItsOwn) {
  HttpResponse response;
  response.headers = {{"X-Request-Id", "a\r\nSet-Cookie: b\x01\x7f\tc\xC3\xA4"}};
  EXPECT_EQ(Head(response, {}, BodyEnd::kNone),
            std::string("HTTP/1.1 200 OK\r\n") + kDate +
                "X-Request-Id: a  Set-Cookie: b  \tc\xC3\xA4\r\n\r\n");
}

TEST(ResponseHead, AChunkHasItsLengthInHexadecimalDigits) {
  std::string out;
  AppendChunk(out, "a");
  AppendChunk(out, std::string(255, 'x'));
  EXPECT_EQ(out, "1\r\na\r\nff\r\n" + std::string(255, 'x') + "\r\n");
}

TEST(StatusText, IsThatOfTheStandard) {
  EXPECT_EQ(StatusText(404), "Not Found");
  EXPECT_EQ(StatusText(431), "Request Header Fields Too Large");
  EXPECT_EQ(StatusText(299), "Unknown");
}

TEST(HttpHeaders, NamesAreFoundInAnyCase) {
  const HttpHeaders headers = {{"X-Key", "1"}, {"x-key", "2"}, {"X-Ke", "3"}};
  EXPECT_EQ(headers.Find("x-KEY"), "1");
  EXPECT_EQ(headers.Find("X-Ke"), "3");
  EXPECT_EQ(headers.Find("X"), std::nullopt);
}

}  // namespace
}  // namespace fathom
