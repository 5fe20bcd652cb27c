#ifndef FATHOM_NET_TRANSPORT_H_
#define FATHOM_NET_TRANSPORT_H_

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace fathom {

enum class HandshakeEnd {
  kDone,
  kFailed,
  kPlain,  // the peer speaks no TLS, but words: see WithoutTls
};

// Who uses a transport: told of the end of each operation, on the transport's network thread.
class TransportUser {
 public:
  virtual ~TransportUser() = default;
  virtual void OnHandshake(HandshakeEnd end) = 0;
  // bytes 0: the peer ended or lost the connection, or Close was called.
  virtual void OnRead(size_t bytes) = 0;
  virtual void OnWritten(size_t bytes) = 0;
  virtual void OnGoodbye() = 0;
};

// An accepted connection, plain or TLS: bytes both ways, asynchronously. The operation at hand
// keeps its user alive. One read and one write may be under way at once.
//
// Threads   the network thread that runs the socket's io_context.
// Lifetime  the bytes of an operation must live until it has ended.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual void Handshake(std::shared_ptr<TransportUser> user) = 0;
  // After kPlain: the same connection, of which nothing has been read. This one is of no use then.
  virtual std::unique_ptr<Transport> WithoutTls() = 0;
  virtual void Read(std::span<char> into, std::shared_ptr<TransportUser> user) = 0;
  virtual void Write(std::string_view bytes, std::shared_ptr<TransportUser> user) = 0;
  // Tells the peer that nothing more is sent (TLS: after its close_notify). What it still sends can
  // be read. OnGoodbye is called when there is nothing to wait for any more: with TLS when the peer
  // has answered; never without TLS, where OnRead sees the peer's end.
  virtual void Goodbye(std::shared_ptr<TransportUser> user) = 0;
  // Ends what is under way and closes the socket; `abort`: what the system holds for the peer is
  // thrown away instead of waiting for it.
  virtual void Close(bool abort) = 0;
};

// Without `tls` plain. The context must outlive the transport.
std::unique_ptr<Transport> MakeTransport(boost::asio::ip::tcp::socket socket,
                                         boost::asio::ssl::context* tls);

}  // namespace fathom

#endif  // FATHOM_NET_TRANSPORT_H_
