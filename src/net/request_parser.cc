#include "net/request_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "net/http_message.h"
#include "net/url.h"

namespace fathom {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string_view FaultText(error_code error) {
  switch (static_cast<http::error>(error.value())) {
    case http::error::bad_line_ending:
      return "a line of the header does not end in CR LF";
    case http::error::bad_method:
      return "the request line does not begin with a method (is this TLS, sent to a plain port?)";
    case http::error::bad_target:
      return "the request line holds no valid target after the method";
    case http::error::bad_version:
      return "the request line does not end in HTTP/1.0 or HTTP/1.1";
    case http::error::bad_field:
      return "a header has an invalid name";
    case http::error::bad_value:
    case http::error::bad_obs_fold:
      return "a header has an invalid value";
    case http::error::bad_content_length:
    case http::error::multiple_content_length:
      return "Content-Length is no single number, or stands beside Transfer-Encoding";
    case http::error::bad_transfer_encoding:
      return "Transfer-Encoding stands twice, or beside Content-Length";
    case http::error::bad_chunk:
    case http::error::bad_chunk_extension:
      return "a chunk of the body does not begin with its length in hexadecimal digits";
    default:
      return "the request is not HTTP/1.1";
  }
}

}  // namespace

struct RequestParser::Message {
  http::request_parser<http::string_body> parser;
  ParsedRequest parsed;
  int64_t header_bytes = 0;
  bool header_done = false;
};

RequestParser::RequestParser(RequestLimits limits) : limits_(limits) {}
RequestParser::~RequestParser() = default;

void RequestParser::Feed(std::string_view bytes) {
  input_.erase(0, std::exchange(consumed_, 0));
  if (!faulty_) input_.append(bytes);
}

RequestParser::Event RequestParser::Next() {
  if (faulty_) return Event::kFault;
  if (message_ == nullptr) {
    // Some clients send a line break too many behind a body (RFC 9112, section 2.2).
    while (unread().starts_with("\r\n")) consumed_ += 2;
    if (unread().empty() || unread() == "\r") return Event::kNeedMore;
    message_ = std::make_unique<Message>();
    message_->parser.header_limit(std::numeric_limits<uint32_t>::max());
    message_->parser.body_limit(static_cast<uint64_t>(limits_.body_bytes));
  }
  return message_->header_done ? ReadBody() : ReadHeader();
}

RequestParser::Event RequestParser::ReadHeader() {
  Message& message = *message_;
  // Beast counts only what it has not understood yet: a header without end, made of short lines,
  // would pass its own limit.
  const auto allowed = static_cast<size_t>(limits_.header_bytes - message.header_bytes);
  const std::string_view text = unread().substr(0, allowed);
  error_code error;
  const size_t read = message.parser.put(boost::asio::buffer(text), error);
  consumed_ += read;
  message.header_bytes += static_cast<int64_t>(read);
  if (error == http::error::need_more) {
    return text.size() == allowed ? HeaderTooLarge("header") : Event::kNeedMore;
  }
  if (error == http::error::body_limit) return BodyTooLarge();
  return error ? Fault(400, std::string(FaultText(error))) : TakeHeader();
}

RequestParser::Event RequestParser::TakeHeader() {
  Message& message = *message_;
  message.header_done = true;
  const auto& fields = message.parser.get();
  auto target = ParseTarget(View(fields.target()));
  if (!target.has_value()) return Fault(400, "the target is no path, or its '%' escapes are wrong");
  HttpRequest& request = message.parsed.request;
  request.method = View(fields.method_string());
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  for (const auto& field : fields) {
    request.headers.Add(std::string(View(field.name_string())), std::string(View(field.value())));
  }
  message.parsed.http10 = fields.version() == 10;
  message.parsed.keep_alive = message.parser.keep_alive();
  message.parser.eager(true);
  return CheckHeader();
}

RequestParser::Event RequestParser::CheckHeader() {
  const Message& message = *message_;
  const HttpRequest& request = message.parsed.request;
  const auto coding = request.Header("Transfer-Encoding");
  if (coding.has_value() && !SameHeaderName(*coding, "chunked")) {
    return Fault(501, Format("the body is sent as '{}'; of transfer codings only chunked is known",
                             *coding));
  }
  const auto expected = request.Header("Expect");
  if (expected.has_value() && !SameHeaderName(*expected, "100-continue")) {
    return Fault(417, Format("'{}' is expected; only 100-continue can be met", *expected));
  }
  if (message.parser.is_done()) return Event::kRequest;
  // Who sends the body without waiting does not need to be asked for it.
  if (expected.has_value() && !message.parsed.http10 && unread().empty()) return Event::kContinue;
  return ReadBody();
}

RequestParser::Event RequestParser::ReadBody() {
  Message& message = *message_;
  while (!message.parser.is_done() && !unread().empty()) {
    error_code error;
    const size_t read = message.parser.put(boost::asio::buffer(unread()), error);
    consumed_ += read;
    if (error == http::error::body_limit) return BodyTooLarge();
    if (error == http::error::need_more) {
      return static_cast<int64_t>(unread_bytes()) < limits_.header_bytes
                 ? Event::kNeedMore
                 : HeaderTooLarge("head of a chunk, or the trailer,");
    }
    if (error) return Fault(400, std::string(FaultText(error)));
  }
  return message.parser.is_done() ? Event::kRequest : Event::kNeedMore;
}

ParsedRequest RequestParser::Take() {
  FATHOM_CHECK(message_ != nullptr && message_->header_done && message_->parser.is_done());
  ParsedRequest parsed = std::move(message_->parsed);
  parsed.request.body = std::move(message_->parser.get().body());
  message_.reset();
  return parsed;
}

bool RequestParser::in_body() const {
  return message_ != nullptr && message_->header_done && !message_->parser.is_done();
}

int64_t RequestParser::body_bytes() const {
  return message_ == nullptr ? 0 : static_cast<int64_t>(message_->parser.get().body().size());
}

RequestParser::Event RequestParser::Fault(int status, std::string message) {
  faulty_ = true;
  fault_ = {status, std::move(message)};
  message_.reset();
  input_.clear();
  consumed_ = 0;
  return Event::kFault;
}

RequestParser::Event RequestParser::HeaderTooLarge(std::string_view part) {
  return Fault(431, Format("the {} is larger than the {} bytes that are allowed", part,
                           limits_.header_bytes));
}

RequestParser::Event RequestParser::BodyTooLarge() {
  return Fault(413,
               Format("the body is larger than the {} bytes that are allowed", limits_.body_bytes));
}

}  // namespace fathom
