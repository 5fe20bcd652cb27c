#ifndef FATHOM_NET_CLIENT_SOCKET_H_
#define FATHOM_NET_CLIENT_SOCKET_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "net/url.h"

namespace fathom {

// A connection to a server, plain or TLS, with a deadline for each call. After an error it is
// closed.
//
// Errors    kFailed: what failed and why; the caller adds the address.
// Threads   one at a time, but Abort.
class ClientSocket {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  ClientSocket() : socket_(io_) {}
  ClientSocket(const ClientSocket&) = delete;
  ClientSocket& operator=(const ClientSocket&) = delete;

  // `tls` null: plain; otherwise it outlives the connection, and the certificate must be the
  // host's.
  Status Connect(const Url& url, boost::asio::ssl::context* tls, Deadline deadline);
  Status Write(std::string_view bytes, Deadline deadline);
  // How many bytes came; 0 when the server has closed the connection.
  Result<size_t> Read(std::span<char> into, Deadline deadline);
  void Close();

  // Connected, and the server has neither closed the connection nor sent what nobody asked for.
  bool reusable();

  // Ends the call at hand and each that comes. Any thread.
  void Abort();

 private:
  using ErrorCode = boost::system::error_code;

  template <typename Start>
  ErrorCode Run(Deadline deadline, const Start& start);
  Status Handshake(const Url& url, boost::asio::ssl::context& tls, Deadline deadline);
  Error Lost(std::string_view what, ErrorCode error);

  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
  size_t moved_ = 0;  // bytes of the last Run
  bool aborted_ = false;
};

}  // namespace fathom

#endif  // FATHOM_NET_CLIENT_SOCKET_H_
