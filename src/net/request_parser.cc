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
#include "net/request_fault.h"
#include "net/url.h"

namespace fathom {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct RequestParser::Message {
  http::request_parser<http::string_body> parser;
  ParsedRequest parsed;
  int64_t header_bytes = 0;
  bool header_done = false;
};

RequestParser::RequestParser(HttpRequestLimits limits) : limits_(limits) {}
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
    message_->parser.body_limit(boost::none);
  }
  return message_->header_done ? ReadBody() : ReadHeader();
}

RequestParser::Event RequestParser::ReadHeader() {
  Message& message = *message_;
  if (message.header_bytes == 0 && !IsTokenChar(unread()[0])) return LineFault();
  // Beast counts only what it has not understood yet: a header without end, made of short lines,
  // would be read on and on.
  const auto allowed = static_cast<size_t>(limits_.header_bytes - message.header_bytes);
  const std::string_view text = unread().substr(0, allowed);
  // Whole lines: what is said of a wrong one does not depend on how much of it has come.
  const std::string_view lines = text.substr(0, text.rfind('\n') + 1);
  error_code error = http::error::need_more;
  if (!lines.empty()) {
    const size_t read = message.parser.put(boost::asio::buffer(lines), error);
    consumed_ += read;
    message.header_bytes += static_cast<int64_t>(read);
  }
  if (error == http::error::need_more) {
    return text.size() == allowed ? HeaderTooLarge("header") : Event::kNeedMore;
  }
  return error ? LineFault() : TakeHeader();
}

void RequestParser::TakeFields() {
  const auto& fields = message_->parser.get();
  HttpRequest& request = message_->parsed.request;
  request.method = View(fields.method_string());
  for (const auto& field : fields) {
    request.headers.Add(std::string(View(field.name_string())), std::string(View(field.value())));
  }
}

RequestParser::Event RequestParser::TakeHeader() {
  Message& message = *message_;
  message.header_done = true;
  TakeFields();
  const auto& fields = message.parser.get();
  auto target = ParseTarget(View(fields.target()));
  if (!target.has_value()) return Fault(TargetFault(View(fields.target())));
  HttpRequest& request = message.parsed.request;
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  message.parsed.http10 = fields.version() == 10;
  message.parsed.keep_alive = message.parser.keep_alive();
  message.parser.eager(true);
  return CheckHeader();
}

RequestParser::Event RequestParser::CheckHeader() {
  Message& message = *message_;
  const HttpRequest& request = message.parsed.request;
  if (auto fault = HeaderFault(request, message.parsed.http10)) return Fault(std::move(*fault));
  const auto most = static_cast<uint64_t>(limits_.body_bytes);
  const auto length = message.parser.content_length();
  if (length && *length > most)
    return Fault(BodyTooLong(Format("{}", *length), limits_.body_bytes));
  message.parser.body_limit(most);
  if (message.parser.is_done()) return Event::kRequest;
  // Who sends the body without waiting does not need to be asked for it.
  const bool waits = request.Header("Expect").has_value() && !message.parsed.http10;
  if (waits && unread().empty()) return Event::kContinue;
  return ReadBody();
}

RequestParser::Event RequestParser::ReadBody() {
  Message& message = *message_;
  while (!message.parser.is_done() && !unread().empty()) {
    error_code error;
    const size_t read = message.parser.put(boost::asio::buffer(unread()), error);
    consumed_ += read;
    if (error == http::error::body_limit) {
      return Fault({413, Format("the body has more than the {} bytes that are allowed; send less "
                                "at once",
                                limits_.body_bytes)});
    }
    if (error == http::error::need_more) {
      return static_cast<int64_t>(unread_bytes()) < limits_.header_bytes
                 ? Event::kNeedMore
                 : HeaderTooLarge("head of a chunk, or the trailer,");
    }
    if (error) return ChunkFault();
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

HttpRequest RequestParser::TakeUnderstood() {
  return std::exchange(message_ == nullptr ? understood_ : message_->parsed.request, {});
}

RequestParser::Event RequestParser::Fault(RequestFault fault) {
  faulty_ = true;
  fault_ = std::move(fault);
  understood_ = std::move(message_->parsed.request);
  message_.reset();
  input_.clear();
  consumed_ = 0;
  return Event::kFault;
}

// Beast stops in front of the line that it does not understand.
RequestParser::Event RequestParser::LineFault() {
  const std::string_view line = unread().substr(0, unread().find('\n') + 1);
  if (message_->header_bytes == 0) {
    return Fault(StartLineFault(line.empty() ? unread().substr(0, 1) : line));
  }
  TakeFields();
  return Fault(HeaderLineFault(line, message_->parsed.request.headers, limits_.body_bytes));
}

// The line break behind a chunk counts as the begin of the next.
RequestParser::Event RequestParser::ChunkFault() {
  std::string_view line = unread();
  const bool begun = message_->parser.get().body().size() > 0;
  if (begun && !line.starts_with("\r\n")) {
    return Fault({400, "a chunk of the body is longer than its length says"});
  }
  if (begun) line.remove_prefix(2);
  return Fault(ChunkLineFault(line, limits_.body_bytes));
}

RequestParser::Event RequestParser::HeaderTooLarge(std::string_view part) {
  return Fault({431, Format("the {} is larger than the {} bytes that are allowed", part,
                            limits_.header_bytes)});
}

}  // namespace fathom
