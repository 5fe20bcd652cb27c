#include "net/response_head.h"

#include <charconv>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/format.h"
#include "net/http_message.h"

namespace fathom {
namespace {

// A value that was made from a client's words must not begin a header of its own.
void AppendHeader(std::string& out, std::string_view name, std::string_view value) {
  out.append(name);
  out.append(": ");
  for (const char c : value) {
    const bool control = (c >= 0 && c < ' ' && c != '\t') || c == '\x7f';
    out += control ? ' ' : c;
  }
  out.append("\r\n");
}

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7), whatever the locale.
std::string HttpDate(std::chrono::sys_seconds now) {
  constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(now - day);
  return Format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                time.hours().count(), time.minutes().count(), time.seconds().count());
}

}  // namespace

bool HasNoBody(int status) { return status < 200 || status == 204 || status == 304; }

void AppendResponseHead(std::string& out, const HttpResponse& response,
                        const ResponseManner& manner, BodyEnd end, size_t length,
                        std::chrono::sys_seconds now) {
  FATHOM_CHECK(end != BodyEnd::kClose || !manner.keep_alive);
  out += Format("HTTP/1.1 {} {}\r\n", response.status, StatusText(response.status));
  if (!response.content_type.empty()) AppendHeader(out, "Content-Type", response.content_type);
  if (end == BodyEnd::kLength) AppendHeader(out, "Content-Length", Format("{}", length));
  if (end == BodyEnd::kChunks) out.append("Transfer-Encoding: chunked\r\n");
  if (!manner.keep_alive) {
    out.append("Connection: close\r\n");
  } else if (manner.http10) {
    out.append("Connection: keep-alive\r\n");
  }
  AppendHeader(out, "Date", HttpDate(now));
  for (const HttpHeader& header : response.headers) AppendHeader(out, header.name, header.value);
  out.append("\r\n");
}

void AppendChunk(std::string& out, std::string_view bytes) {
  FATHOM_CHECK(!bytes.empty());
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, bytes.size(), 16);
  out.append(digits, end.ptr);
  out.append("\r\n");
  out.append(bytes);
  out.append("\r\n");
}

}  // namespace fathom
