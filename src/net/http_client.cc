#include "net/http_client.h"

#include <algorithm>
#include <array>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/result.h"
#include "net/client_socket.h"
#include "net/http_message.h"
#include "net/open_files.h"
#include "net/response_parser.h"
#include "net/tls.h"
#include "net/url.h"

namespace fathom {
namespace {

using std::chrono::milliseconds;
using Deadline = ClientSocket::Deadline;

Deadline In(milliseconds time) { return std::chrono::steady_clock::now() + time; }

// When the next byte has to be there.
using NextDeadline = std::function<Deadline()>;

}  // namespace

class HttpClient::Session {
 public:
  Session(HttpClientOptions options, Url url, std::unique_ptr<boost::asio::ssl::context> tls)
      : options_(std::move(options)), url_(std::move(url)), tls_(std::move(tls)) {}

  Result<HttpResponse> Call(const HttpCall& call, const NextDeadline& deadline,
                            const HttpPieceHandler& on_piece);
  void Abort() { socket_.Abort(); }

 private:
  Result<HttpResponse> Ask(const HttpCall& call, const NextDeadline& deadline,
                           const HttpPieceHandler& on_piece);
  Status Receive(ResponseParser& parser, const NextDeadline& deadline,
                 const HttpPieceHandler& on_piece);
  Status Connect(const NextDeadline& deadline);
  std::string RequestBytes(const HttpCall& call) const;

  HttpClientOptions options_;
  Url url_;
  std::unique_ptr<boost::asio::ssl::context> tls_;
  ClientSocket socket_;
  bool answer_began_ = false;
};

std::string HttpClient::Session::RequestBytes(const HttpCall& call) const {
  std::string bytes = Format("{} {}{} HTTP/1.1\r\nHost: {}\r\n", call.method, url_.path,
                             call.target, HostAndPort(url_.host, url_.port));
  for (const HttpHeader& header : call.headers) {
    bytes += header.name + ": " + header.value + "\r\n";
  }
  const bool has_length = !call.body.empty() || (call.method != "GET" && call.method != "HEAD");
  if (has_length) bytes += Format("Content-Length: {}\r\n", call.body.size());
  return bytes + "\r\n" + call.body;
}

Status HttpClient::Session::Connect(const NextDeadline& deadline) {
  return socket_.Connect(url_, tls_.get(),
                         std::min(deadline(), In(milliseconds(options_.connect_timeout_ms))));
}

Result<HttpResponse> HttpClient::Session::Call(const HttpCall& call, const NextDeadline& deadline,
                                               const HttpPieceHandler& on_piece) {
  const bool reused = socket_.reusable();
  auto answer = Ask(call, deadline, on_piece);
  const bool harmless = call.method == "GET" || call.method == "HEAD";
  if (!answer.ok() && reused && harmless && !answer_began_) {
    socket_.Close();
    answer = Ask(call, deadline, on_piece);
  }
  if (answer.ok()) return answer;
  socket_.Close();
  return Within(call.method + " " + url_.origin() + url_.path + call.target,
                std::move(answer).error());
}

Result<HttpResponse> HttpClient::Session::Ask(const HttpCall& call, const NextDeadline& deadline,
                                              const HttpPieceHandler& on_piece) {
  answer_began_ = false;
  if (!socket_.reusable()) FATHOM_OK(Connect(deadline));
  FATHOM_OK(socket_.Write(RequestBytes(call), deadline()));
  ResponseParser parser(call.method == "HEAD",
                        {options_.max_header_bytes, options_.max_body_bytes});
  FATHOM_OK(Receive(parser, deadline, on_piece));
  if (!parser.reusable()) socket_.Close();
  return parser.head();
}

Status HttpClient::Session::Receive(ResponseParser& parser, const NextDeadline& deadline,
                                    const HttpPieceHandler& on_piece) {
  std::array<char, 65536> bytes;
  while (!parser.done()) {
    FATHOM_TRY(const size_t read, socket_.Read(bytes, deadline()));
    FATHOM_OK(read == 0 ? parser.End() : parser.Feed({bytes.data(), read}));
    answer_began_ = parser.begun();
    if (!parser.header_done()) continue;
    const std::string piece = parser.TakeBody();
    if (!piece.empty() && !on_piece(parser.head(), piece)) break;
  }
  return Ok();
}

HttpClient::HttpClient(std::unique_ptr<Session> session) : session_(std::move(session)) {}
HttpClient::~HttpClient() = default;

Result<std::unique_ptr<HttpClient>> HttpClient::Create(HttpClientOptions options) {
  FATHOM_TRY(Url url, ParseUrl(options.url));
  if (url.path == "/") url.path.clear();
  std::unique_ptr<boost::asio::ssl::context> tls;
  if (url.tls) {
    FATHOM_TRY(tls, ClientTls(options.ca_file));
  }
  try {
    return std::unique_ptr<HttpClient>(new HttpClient(
        std::make_unique<Session>(std::move(options), std::move(url), std::move(tls))));
  } catch (const boost::system::system_error& refused) {
    return NoEventQueue(refused.code());
  }
}

Result<HttpResponse> HttpClient::Send(const HttpCall& call, milliseconds timeout) {
  const Deadline deadline = In(timeout);
  std::string body;
  auto answer = session_->Call(
      call, [deadline] { return deadline; },
      [&body](const HttpResponse& /*head*/, std::string_view piece) {
        body += piece;
        return true;
      });
  if (answer.ok()) answer->body = std::move(body);
  return answer;
}

Result<HttpResponse> HttpClient::Stream(const HttpCall& call, milliseconds silence,
                                        const HttpPieceHandler& on_piece) {
  return session_->Call(
      call, [silence] { return In(silence); }, on_piece);
}

void HttpClient::Abort() { session_->Abort(); }

}  // namespace fathom
