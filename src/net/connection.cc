#include "net/connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "net/body_budget.h"
#include "net/exchange.h"
#include "net/http_message.h"
#include "net/http_server.h"
#include "net/network_thread.h"
#include "net/request_parser.h"
#include "net/response_head.h"
#include "net/server_state.h"
#include "net/transport.h"

namespace fathom {
namespace {

// How long a client that was answered for the last time may take to hang up. Closing before it does
// could take the answer away from it.
constexpr int64_t kLeavingMs = 2000;

constexpr size_t kReadBytes = 4 << 10;  // enough for most requests; thousands are idle
// Of each body: what the budget of all does not count.
constexpr int64_t kFreeBodyBytes = 64 << 10;

constexpr size_t kBodyReadBytes = 64 << 10;

ResponseManner MannerOf(const ParsedRequest& parsed) {
  return {.head_request = parsed.request.method == "HEAD",
          .http10 = parsed.http10,
          .keep_alive = parsed.keep_alive};
}

}  // namespace

Connection::Connection(ServerState& server, NetworkThread& thread, Peer peer)
    : server_(server),
      thread_(thread),
      transport_(std::move(peer.transport)),
      spare_(peer.spare),
      idle_list_(peer.spare ? server.spare_idle : server.idle),
      parser_({server.options.max_header_bytes, server.options.max_body_bytes},
              std::move(peer.address)),
      tls_(server.tls != nullptr) {}

Connection::~Connection() { idle_list_.Remove(idle_); }

void Connection::Start() {
  thread_.Add(shared_from_this());
  if (server_.draining) return Close(true);
  idle_.connection = weak_from_this();
  idle_list_.Add(idle_);
  deadline_ = After(server_.options.header_timeout_ms);
  transport_->Handshake(shared_from_this());
}

void Connection::OnHandshake(HandshakeEnd end) {
  if (phase_ == Phase::kClosed) return;
  if (end == HandshakeEnd::kFailed) return Close(false);
  if (end == HandshakeEnd::kPlain) {
    transport_ = transport_->WithoutTls();
    tls_ = false;
  }
  AwaitRequest();
}

void Connection::Evict() {
  boost::asio::post(thread_.io(), [self = shared_from_this()] { self->Close(false); });
}

double Connection::After(int64_t time_ms) const {
  return server_.clock->Seconds() + static_cast<double>(time_ms) / 1000;
}

void Connection::Read() {
  if (reading_ || ended_) return;
  // Without this bound a client that asks on and on would fill the memory.
  if (phase_ == Phase::kAnswering && parser_.unread_bytes() >= kReadBytes) return;
  const size_t wanted = phase_ == Phase::kBody ? kBodyReadBytes : kReadBytes;
  if (scratch_.size() != wanted) std::vector<char>(wanted).swap(scratch_);
  reading_ = true;
  transport_->Read(scratch_, shared_from_this());
}

void Connection::OnRead(size_t bytes) {
  reading_ = false;
  if (phase_ == Phase::kClosed) return;
  if (bytes == 0) return OnEnd();
  if (phase_ == Phase::kLeaving) return Read();
  if (phase_ == Phase::kIdle) {
    if (!idle_list_.Remove(idle_)) return Close(false);
    BeginHeader();
  }
  try {
    parser_.Feed({scratch_.data(), bytes});
    if (phase_ != Phase::kAnswering) return Parse();
  } catch (const std::bad_alloc&) {
    return Close(true);  // no memory for this body is no reason to end the others
  }
  Read();
}

void Connection::OnEnd() {
  ended_ = true;
  if (phase_ == Phase::kAnswering) {
    // An answer that is complete is sent: a client may have half-closed after its last request.
    if (!exchange_->finished()) Close(true);
    return;
  }
  Close(false);
}

void Connection::AwaitRequest() {
  exchange_.reset();
  asked_ = {};
  complete_ = false;
  if (parser_.unread_bytes() > 0) {
    BeginHeader();
    return Parse();
  }
  if (ended_) return Close(false);
  phase_ = Phase::kIdle;
  deadline_ = After(server_.options.idle_timeout_ms);
  idle_list_.Add(idle_);
  Read();
}

void Connection::BeginHeader() {
  phase_ = Phase::kHeader;
  deadline_ = After(server_.options.header_timeout_ms);
}

void Connection::Parse() {
  while (true) {
    const RequestParser::Event event = parser_.Next();
    if (!HoldBody()) {
      return AnswerFault(503, Format("the bodies of all requests at hand are larger than the {} "
                                     "bytes that are allowed; come again later",
                                     server_.bodies->most_bytes()));
    }
    switch (event) {
      case RequestParser::Event::kNeedMore:
        return AwaitBytes();
      case RequestParser::Event::kHeader:
        if (Screened()) return;
        break;
      case RequestParser::Event::kContinue:
        SendContinue();
        break;
      case RequestParser::Event::kRequest:
        return Dispatch();
      case RequestParser::Event::kFault:
        return AnswerFault(parser_.fault().status, parser_.fault().message);
    }
  }
}

// True when the header alone decided the answer.
bool Connection::Screened() {
  if (server_.tls != nullptr && !tls_) {
    AnswerFault(400, "this port speaks TLS, and the request came without; use https://");
    return true;
  }
  HttpVerdict verdict;
  if (server_.service.screen) verdict = server_.service.screen(parser_.head());
  if (verdict.answer) {
    AnswerHead(*verdict.answer);
    return true;
  }
  if (spare_ && !verdict.vital) {
    ++server_.refused;
    AnswerFault(503, Format("all {} connections are in use", server_.options.max_connections));
    return true;
  }
  parser_.LimitBody(verdict.max_body_bytes);
  return false;
}

void Connection::AnswerHead(const HttpResponse& answer) {
  ResponseManner manner{.keep_alive = false};
  if (parser_.Next() == RequestParser::Event::kRequest) {
    manner = MannerOf(parser_.Take());
  } else {
    // Who waits for "100 Continue" may send the body or not: what comes cannot be understood.
    faulty_ = true;
    manner.head_request = parser_.GiveUp().method == "HEAD";
  }
  OpenExchange(manner);
  exchange_->Send(answer);
  Read();
}

void Connection::AwaitBytes() {
  if (ended_) return Close(false);
  if (parser_.between_requests()) return AwaitRequest();
  if (parser_.in_body()) {
    const double now = server_.clock->Seconds();
    if (std::exchange(phase_, Phase::kBody) != Phase::kBody) body_began_ = now;
    const double patience = static_cast<double>(server_.options.body_timeout_ms) / 1000;
    const double earned = static_cast<double>(parser_.body_bytes()) /
                          static_cast<double>(server_.options.min_body_bytes_per_s);
    deadline_ = std::min(now, body_began_ + earned) + patience;
  }
  Read();
}

// Nothing else is being written: the answer before was sent whole, and no other has begun.
void Connection::SendContinue() {
  out_ = "HTTP/1.1 100 Continue\r\n\r\n";
  interim_ = true;
  Write();
}

bool Connection::HoldBody() {
  const int64_t bytes = parser_.body_bytes() - kFreeBodyBytes;
  if (bytes <= 0) return true;
  if (share_ == nullptr) share_ = std::make_shared<BodyShare>(server_.bodies);
  return share_->Grow(bytes);
}

void Connection::Dispatch() {
  ParsedRequest parsed = parser_.Take();
  parsed.request.body_share = std::move(share_);
  const HttpRequest& request = parsed.request;
  asked_ = {request.method, request.path, request.query, request.headers, "",
            nullptr,        request.peer};
  OpenExchange(MannerOf(parsed));
  Read();
  ++server_.requests;
  Handle(std::move(parsed.request));
  if (ended_ && phase_ == Phase::kAnswering && !exchange_->finished()) Close(true);
}

// A handler's exception is answered like a reply that it dropped.
void Connection::Handle(HttpRequest request) {
  try {
    server_.service.handle(std::move(request), Exchange::Handle(exchange_));
  } catch (...) {
    return;
  }
}

void Connection::OpenExchange(ResponseManner manner) {
  phase_ = Phase::kAnswering;
  deadline_ = kNever;
  if (spare_) manner.keep_alive = false;
  exchange_ = std::make_shared<Exchange>(
      *this, Exchange::Terms{manner, server_.options.write_buffer_bytes, &server_.buffered_bytes,
                             &server_.draining});
}

void Connection::AnswerFault(int status, std::string message) {
  faulty_ = true;
  HttpRefusal refusal{status, std::move(message), parser_.GiveUp()};
  share_.reset();
  OpenExchange({.head_request = refusal.request.method == "HEAD", .keep_alive = false});
  exchange_->Send(server_.service.refuse(refusal));
  Read();
}

HttpResponse Connection::Abandoned() {
  HttpRefusal refusal{500, "the server gave this request up without an answer", asked_};
  return server_.service.refuse(refusal);
}

void Connection::Schedule() { thread_.Schedule(shared_from_this()); }

void Connection::Flush() {
  if (phase_ != Phase::kAnswering) return;
  if (exchange_->broken()) {
    if (exchange_->slow()) ++server_.dropped;
    return Close(true);
  }
  if (writing_ || complete_) return;
  complete_ = exchange_->Take(out_) == Exchange::Progress::kComplete;
  if (!out_.empty()) {
    Write();
  } else if (complete_) {
    AnswerDone();
  }
}

void Connection::Write() {
  writing_ = true;
  write_deadline_ = After(server_.options.write_timeout_ms);
  transport_->Write(std::string_view(out_).substr(sent_), shared_from_this());
}

void Connection::OnWritten(size_t bytes) {
  writing_ = false;
  if (phase_ == Phase::kClosed) return;
  if (bytes == 0) return Close(true);
  if (!interim_) exchange_->Sent(bytes);
  sent_ += bytes;
  if (sent_ < out_.size()) return Write();
  out_.clear();
  sent_ = 0;
  interim_ = false;
  if (complete_) return AnswerDone();
  Flush();
}

void Connection::AnswerDone() {
  if (!exchange_->keep_alive() || server_.draining) return Leave();
  AwaitRequest();
}

void Connection::Leave() {
  exchange_.reset();
  if (ended_) return Close(false);
  phase_ = Phase::kLeaving;
  deadline_ = After(kLeavingMs);
  idle_list_.Add(idle_);
  // TLS cannot say goodbye while the client still sends what nobody reads: it hangs up by itself
  // when it has seen the answer.
  if (!faulty_ || !tls_) transport_->Goodbye(shared_from_this());
  Read();
}

void Connection::OnGoodbye() { Close(false); }

void Connection::Sweep() {
  const double now = server_.clock->Seconds();
  if (writing_ && now > write_deadline_) {
    ++server_.dropped;
    if (exchange_ != nullptr) {
      exchange_->Drop(Format("the client took nothing of its answer for {} ms",
                             server_.options.write_timeout_ms));
    }
    return Close(true);
  }
  if (now <= deadline_) return;
  if (phase_ == Phase::kHeader) {
    return AnswerFault(
        408, Format("the header was not complete after {} ms", server_.options.header_timeout_ms));
  }
  if (phase_ == Phase::kBody) {
    return AnswerFault(408,
                       Format("the body came too slowly: {} bytes, then a wait of more than {} ms"
                              " or less than {} bytes a second",
                              parser_.body_bytes(), server_.options.body_timeout_ms,
                              server_.options.min_body_bytes_per_s));
  }
  Close(false);
}

void Connection::Drain() {
  if (phase_ == Phase::kIdle || phase_ == Phase::kGreeting) return Close(false);
}

void Connection::Close(bool abort) {
  if (std::exchange(phase_, Phase::kClosed) == Phase::kClosed) return;
  idle_list_.Remove(idle_);
  transport_->Close(abort);
  if (exchange_ != nullptr) exchange_->Detach();
  thread_.Remove(shared_from_this());
  if (spare_) --server_.spare;
  server_.open.Add(-1);
}

}  // namespace fathom
