#include "net/response_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string_type.hpp>
#include <boost/beast/http/error.hpp>
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
#include "base/result.h"
#include "net/http_message.h"

namespace fathom {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

Error TooLarge(std::string_view part, int64_t limit) {
  return Failed(Format("the {} of the answer is larger than {} bytes", part, limit), "",
                "check that this is the server that was meant");
}

Error NotHttp(error_code error) {
  return Failed("the answer is not HTTP/1.1: " + error.message(), "",
                "check host, port and http:// against https://");
}

}  // namespace

struct ResponseParser::Message {
  http::response_parser<http::string_body> parser;
};

ResponseParser::ResponseParser(bool after_head, Limits limits)
    : after_head_(after_head), limits_(limits) {
  Restart();
}

ResponseParser::~ResponseParser() = default;

void ResponseParser::Restart() {
  message_ = std::make_unique<Message>();
  message_->parser.header_limit(std::numeric_limits<uint32_t>::max());
  message_->parser.body_limit(static_cast<uint64_t>(limits_.body_bytes));
  message_->parser.skip(after_head_);
}

bool ResponseParser::header_done() const { return message_->parser.is_header_done(); }
bool ResponseParser::done() const { return message_->parser.is_done(); }

bool ResponseParser::reusable() const {
  return done() && message_->parser.keep_alive() && input_.empty();
}

Status ResponseParser::Feed(std::string_view bytes) {
  FATHOM_CHECK(!done());
  input_.append(bytes);
  if (!bytes.empty()) begun_ = true;
  while (!input_.empty() && !header_done()) {
    const size_t before = input_.size();
    FATHOM_OK(FeedHeader());
    if (input_.size() == before) return Ok();
  }
  return header_done() ? FeedBody() : Ok();
}

Status ResponseParser::FeedHeader() {
  const auto allowed = static_cast<size_t>(limits_.header_bytes - header_bytes_);
  const std::string_view text = std::string_view(input_).substr(0, allowed);
  error_code error;
  const size_t read = message_->parser.put(boost::asio::buffer(text), error);
  if (error == http::error::need_more) {
    if (text.size() == allowed) return TooLarge("header", limits_.header_bytes);
  } else if (error == http::error::body_limit) {
    return TooLarge("body", limits_.body_bytes);
  } else if (error) {
    return NotHttp(error);
  }
  header_bytes_ += static_cast<int64_t>(read);
  input_.erase(0, read);
  if (header_done()) TakeHead();
  return Ok();
}

void ResponseParser::TakeHead() {
  const auto& message = message_->parser.get();
  head_.status = static_cast<int>(message.result_int());
  if (head_.status / 100 == 1 && head_.status != 101) return Restart();
  for (const auto& field : message) {
    head_.headers.Add(std::string(View(field.name_string())), std::string(View(field.value())));
  }
  head_.content_type = head_.Header("Content-Type").value_or("");
  message_->parser.eager(true);
}

Status ResponseParser::FeedBody() {
  while (!done() && !input_.empty()) {
    error_code error;
    const size_t read = message_->parser.put(boost::asio::buffer(input_), error);
    input_.erase(0, read);
    if (error == http::error::need_more) {
      // Between two chunks: the head of the next, or the trailer.
      if (static_cast<int64_t>(input_.size()) < limits_.header_bytes) return Ok();
      return TooLarge("head of a chunk", limits_.header_bytes);
    }
    if (error == http::error::body_limit) return TooLarge("body", limits_.body_bytes);
    if (error) return NotHttp(error);
  }
  return Ok();
}

Status ResponseParser::End() {
  if (done()) return Ok();
  error_code error = http::error::partial_message;
  if (header_done()) message_->parser.put_eof(error);
  if (!error) return Ok();
  return Failed(begun_ ? "the server closed the connection in the middle of its answer"
                       : "the server closed the connection without an answer",
                "", "look into the server's log for the cause");
}

std::string ResponseParser::TakeBody() {
  return std::exchange(message_->parser.get().body(), std::string());
}

}  // namespace fathom
