#include "net/client_socket.h"

#include <openssl/ssl.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/result.h"
#include "net/url.h"

namespace fathom {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::string FixFor(error_code error) {
  if (error == asio::error::timed_out)
    return "check that the server is not overloaded, or wait longer";
  if (error == asio::error::connection_refused) {
    return "check that a server runs there, and its port";
  }
  if (error.category() == asio::error::get_ssl_category()) {
    return "check that the server speaks TLS, and whom its certificate is from and for";
  }
  if (error == asio::error::operation_aborted) return "nothing: it was asked to end";
  return "check the address, the network on the way, and the server's log";
}

}  // namespace

Error ClientSocket::Lost(std::string_view what, error_code error) {
  Close();
  if (aborted_) error = asio::error::operation_aborted;
  const std::string why = error == asio::error::timed_out ? "timed out" : error.message();
  return Failed(Format("{}: {}", what, why), "", FixFor(error));
}

// Starts an asynchronous operation and waits for its end, at most until the deadline.
template <typename Start>
error_code ClientSocket::Run(Deadline deadline, const Start& start) {
  std::optional<error_code> result;
  io_.restart();
  start([this, &result](error_code error, size_t bytes) {
    result = error;
    moved_ = bytes;
  });
  while (!result.has_value() && io_.run_one_until(deadline) > 0) {
  }
  if (result.has_value()) return *result;
  Close();
  io_.restart();
  io_.run();
  return asio::error::timed_out;
}

Status ClientSocket::Connect(const Url& url, asio::ssl::context* tls, Deadline deadline) {
  Close();
  tls_.reset();
  error_code error;
  tcp::resolver resolver(io_);
  const auto addresses = resolver.resolve(url.host, Format("{}", url.port), error);
  if (error) return Lost("cannot look up the name " + url.host, error);
  error = Run(deadline, [&](auto done) {
    asio::async_connect(socket_, addresses,
                        [done](error_code failed, const tcp::endpoint&) { done(failed, 0); });
  });
  if (error || aborted_) return Lost("cannot connect", error);
  socket_.set_option(tcp::no_delay(true), error);
  return tls == nullptr ? Ok() : Handshake(url, *tls, deadline);
}

Status ClientSocket::Handshake(const Url& url, asio::ssl::context& tls, Deadline deadline) {
  tls_.emplace(socket_, tls);
  error_code error;
  asio::ip::make_address(url.host, error);
  const bool is_name = static_cast<bool>(error);
  if (is_name) SSL_set_tlsext_host_name(tls_->native_handle(), url.host.c_str());
  tls_->set_verify_callback(asio::ssl::host_name_verification(url.host));
  error = Run(deadline, [&](auto done) {
    tls_->async_handshake(asio::ssl::stream_base::client,
                          [done](error_code failed) { done(failed, 0); });
  });
  if (error) return Lost("no TLS connection", error);
  return Ok();
}

Status ClientSocket::Write(std::string_view bytes, Deadline deadline) {
  const error_code error = Run(deadline, [&](auto done) {
    if (tls_.has_value()) {
      asio::async_write(*tls_, asio::buffer(bytes), done);
    } else {
      asio::async_write(socket_, asio::buffer(bytes), done);
    }
  });
  if (error) return Lost("the request could not be sent", error);
  return Ok();
}

Result<size_t> ClientSocket::Read(std::span<char> into, Deadline deadline) {
  const auto buffer = asio::buffer(into.data(), into.size());
  const error_code error = Run(deadline, [&](auto done) {
    if (tls_.has_value()) {
      tls_->async_read_some(buffer, done);
    } else {
      socket_.async_read_some(buffer, done);
    }
  });
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) return size_t{0};
  if (error) return Lost("no answer", error);
  return moved_;
}

void ClientSocket::Close() {
  error_code ignored;
  socket_.close(ignored);
}

bool ClientSocket::reusable() {
  if (!socket_.is_open()) return false;
  error_code error;
  std::array<char, 1> byte;
  socket_.non_blocking(true, error);
  socket_.receive(asio::buffer(byte), asio::socket_base::message_peek, error);
  return error == asio::error::would_block;
}

void ClientSocket::Abort() {
  asio::post(io_, [this] {
    aborted_ = true;
    Close();
  });
}

}  // namespace fathom
