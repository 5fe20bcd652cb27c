#include "net/request_parser.h"

#include <algorithm>
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
#include <optional>
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

// As far as Beast has read it; without a path where there is no target yet, or an invalid one.
HttpRequest RequestOf(const http::request<http::string_body>& read) {
  HttpRequest request;
  request.method = View(read.method_string());
  auto target = read.target().empty() ? std::nullopt : ParseTarget(View(read.target()));
  if (target.has_value()) {
    request.path = std::move(target->path);
    request.query = std::move(target->query);
  }
  for (const auto& field : read) {
    request.headers.Add(std::string(View(field.name_string())), std::string(View(field.value())));
  }
  return request;
}

}  // namespace

struct RequestParser::Message {
  http::request_parser<http::string_body> parser;
  ParsedRequest parsed;
  int64_t header_bytes = 0;
  int64_t most_body_bytes = 0;
  bool header_done = false;
  bool body_begun = false;
};

RequestParser::RequestParser(HttpRequestLimits limits, std::string peer)
    : limits_(limits), peer_(std::move(peer)) {}
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
    message_->most_body_bytes = limits_.body_bytes;
  }
  if (!message_->header_done) return ReadHeader();
  return message_->body_begun ? ReadBody() : BeginBody();
}

RequestParser::Event RequestParser::ReadHeader() {
  Message& message = *message_;
  if (message.header_bytes == 0 && !IsTokenChar(unread()[0])) return LineFault();
  const std::string_view lines = HeaderLines();
  error_code error = http::error::need_more;
  if (!lines.empty()) {
    const size_t read = message.parser.put(boost::asio::buffer(lines), error);
    consumed_ += read;
    message.header_bytes += static_cast<int64_t>(read);
  }
  if (error == http::error::need_more) {
    const auto came = message.header_bytes + static_cast<int64_t>(unread_bytes());
    if (came < limits_.header_bytes) return Event::kNeedMore;
    return CutHeader() ? HeaderTooLarge("header") : LineFault();
  }
  return error ? LineFault() : TakeHeader();
}

// The unread lines that are whole: what is said of a wrong one does not depend on how much of it
// has come. Beast counts only what it has not understood yet: a header without end, made of short
// lines, would be read on and on; so none beyond the limit.
std::string_view RequestParser::HeaderLines() const {
  const auto allowed = static_cast<size_t>(limits_.header_bytes - message_->header_bytes);
  const std::string_view text = unread().substr(0, allowed);
  return text.substr(0, text.rfind('\n') + 1);
}

// No more of the header will be read. Beast holds lines back until it sees what comes behind: the
// end. False when one of them is wrong.
bool RequestParser::CutHeader() {
  const std::string_view lines = HeaderLines();
  if (lines.empty()) return true;
  error_code error;
  consumed_ += message_->parser.put(boost::asio::buffer(std::string(lines) + "\r\n"), error);
  return !error;
}

RequestParser::Event RequestParser::TakeHeader() {
  Message& message = *message_;
  message.header_done = true;
  const auto& fields = message.parser.get();
  message.parsed.request = RequestOf(fields);
  message.parsed.request.peer = peer_;
  if (message.parsed.request.path.empty()) return Fault(TargetFault(View(fields.target())));
  message.parsed.http10 = fields.version() == 10;
  message.parsed.keep_alive = message.parser.keep_alive();
  message.parser.eager(true);
  auto fault = HeaderFault(message.parsed.request, message.parsed.http10);
  return fault ? Fault(std::move(*fault)) : Event::kHeader;
}

const HttpRequest& RequestParser::head() const {
  FATHOM_CHECK(message_ != nullptr && message_->header_done);
  return message_->parsed.request;
}

void RequestParser::LimitBody(int64_t bytes) {
  FATHOM_CHECK(message_ != nullptr && message_->header_done && !message_->body_begun);
  message_->most_body_bytes = std::min(bytes, limits_.body_bytes);
}

RequestParser::Event RequestParser::BeginBody() {
  Message& message = *message_;
  message.body_begun = true;
  const auto most = static_cast<uint64_t>(message.most_body_bytes);
  const auto length = message.parser.content_length();
  if (length && *length > most) {
    return Fault(BodyTooLong(Format("{}", *length), message.most_body_bytes));
  }
  message.parser.body_limit(most);
  if (message.parser.is_done()) return Event::kRequest;
  // Who sends the body without waiting does not need to be asked for it.
  const bool waits = head().Header("Expect").has_value() && !message.parsed.http10;
  return waits && unread().empty() ? Event::kContinue : ReadBody();
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
                                message.most_body_bytes)});
    }
    if (error == http::error::need_more) {
      return static_cast<int64_t>(unread_bytes()) < limits_.header_bytes
                 ? Event::kNeedMore
                 : HeaderTooLarge("head of a chunk, or the trailer,");
    }
    if (error) return ChunkFault(error == http::error::bad_chunk_extension);
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

HttpRequest RequestParser::GiveUp() {
  faulty_ = true;
  if (message_ != nullptr) {
    if (!message_->header_done) CutHeader();
    End();
  }
  understood_.peer = peer_;
  return std::exchange(understood_, {});
}

void RequestParser::End() {
  // What Beast has now may have fields of a trailer, too.
  understood_ = message_->header_done ? std::move(message_->parsed.request)
                                      : RequestOf(message_->parser.get());
  message_.reset();
  std::string().swap(input_);
  consumed_ = 0;
}

RequestParser::Event RequestParser::Fault(RequestFault fault) {
  faulty_ = true;
  fault_ = std::move(fault);
  End();
  return Event::kFault;
}

// Beast stops in front of the line that it does not understand.
RequestParser::Event RequestParser::LineFault() {
  const std::string_view line = unread().substr(0, unread().find('\n') + 1);
  if (message_->header_bytes == 0) {
    return Fault(StartLineFault(line.empty() ? unread().substr(0, 1) : line));
  }
  const HttpHeaders before = RequestOf(message_->parser.get()).headers;
  return Fault(HeaderLineFault(line, before, limits_.body_bytes));
}

// The line break behind a chunk counts as the begin of the next.
RequestParser::Event RequestParser::ChunkFault(bool bad_extension) {
  std::string_view line = unread();
  const bool begun = message_->parser.get().body().size() > 0;
  if (begun && !line.starts_with("\r\n")) {
    return Fault({400, "a chunk of the body is longer than its length says"});
  }
  if (begun) line.remove_prefix(2);
  return Fault(ChunkLineFault(line, bad_extension, message_->most_body_bytes));
}

RequestParser::Event RequestParser::HeaderTooLarge(std::string_view part) {
  return Fault({431, Format("the {} is larger than the {} bytes that are allowed", part,
                            limits_.header_bytes)});
}

}  // namespace fathom
