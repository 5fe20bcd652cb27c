#include "net/transport.h"

#include <netinet/tcp.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace fathom {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using TlsStream = boost::asio::ssl::stream<tcp::socket>;
using User = std::shared_ptr<TransportUser>;

template <int kName>
using TcpOption = boost::asio::detail::socket_option::integer<IPPROTO_TCP, kName>;

// An event must not wait for the one before it to be confirmed; a host that vanished is noticed
// within a minute even where nothing is sent; and what the system holds for a slow reader stays
// small. Each is a help only: a system that refuses one serves all the same.
void SetOptions(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(boost::asio::socket_base::keep_alive(true), ignored);
  socket.set_option(TcpOption<TCP_KEEPIDLE>(30), ignored);
  socket.set_option(TcpOption<TCP_KEEPINTVL>(10), ignored);
  socket.set_option(TcpOption<TCP_KEEPCNT>(3), ignored);
  socket.set_option(TcpOption<TCP_NOTSENT_LOWAT>(128 << 10), ignored);
}

template <typename Stream>
class SocketTransport : public Transport {
 public:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  template <typename... Args>
  explicit SocketTransport(Args&&... args) : stream_(std::forward<Args>(args)...) {
    SetOptions(socket());
  }

  void Handshake(User user) override {
    if constexpr (kTls) {
      socket().async_wait(tcp::socket::wait_read, [this, user](error_code error) {
        if (!error && BeginsWithALetter()) return user->OnHandshake(HandshakeEnd::kPlain);
        ShakeHands(user);
      });
    } else {
      user->OnHandshake(HandshakeEnd::kDone);
    }
  }

  std::unique_ptr<Transport> WithoutTls() override {
    return std::make_unique<SocketTransport<tcp::socket>>(std::move(socket()));
  }

  void Read(std::span<char> into, User user) override {
    stream_.async_read_some(boost::asio::buffer(into.data(), into.size()),
                            [user = std::move(user)](error_code error, size_t bytes) {
                              user->OnRead(error ? 0 : bytes);
                            });
  }

  void Write(std::string_view bytes, User user) override {
    stream_.async_write_some(boost::asio::buffer(bytes),
                             [user = std::move(user)](error_code error, size_t written) {
                               user->OnWritten(error ? 0 : written);
                             });
  }

  void Goodbye(User user) override {
    if constexpr (kTls) {
      stream_.async_shutdown([user = std::move(user)](error_code /*error*/) { user->OnGoodbye(); });
    } else {
      error_code ignored;
      socket().shutdown(tcp::socket::shutdown_send, ignored);
    }
  }

  void Close(bool abort) override {
    error_code ignored;
    if (abort) socket().set_option(boost::asio::socket_base::linger(true, 0), ignored);
    socket().close(ignored);
  }

 private:
  void ShakeHands(const User& user) {
    stream_.async_handshake(boost::asio::ssl::stream_base::server, [user](error_code error) {
      user->OnHandshake(error ? HandshakeEnd::kFailed : HandshakeEnd::kDone);
    });
  }

  // As a method of HTTP does, and no record of TLS.
  bool BeginsWithALetter() {
    char first = 0;
    error_code error;
    socket().non_blocking(true, error);
    socket().receive(boost::asio::buffer(&first, 1), tcp::socket::message_peek, error);
    return !error && first >= 'A' && first <= 'Z';
  }

  tcp::socket& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  Stream stream_;
};

}  // namespace

std::unique_ptr<Transport> MakeTransport(tcp::socket socket, boost::asio::ssl::context* tls) {
  if (tls == nullptr) return std::make_unique<SocketTransport<tcp::socket>>(std::move(socket));
  return std::make_unique<SocketTransport<TlsStream>>(std::move(socket), *tls);
}

}  // namespace fathom
