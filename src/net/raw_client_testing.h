#ifndef FATHOM_NET_RAW_CLIENT_TESTING_H_
#define FATHOM_NET_RAW_CLIENT_TESTING_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fathom {

// A client that sends what it is told, byte for byte, and waits for what it is told to wait for.
class RawClient {
 public:
  // Connects; CHECK that somebody listens.
  explicit RawClient(uint16_t port, std::string_view host = "127.0.0.1");
  // The same for many, which share what takes three files each: `io` outlives them.
  RawClient(uint16_t port, std::string_view host, boost::asio::io_context& io);

  static bool CanConnect(uint16_t port);
  // Its own: "127.0.0.1:51234".
  std::string address() const;

  // False when the server has hung up.
  bool Send(std::string_view bytes);
  // The bytes up to and with `end`; all there are when the server hangs up before.
  std::string ReadUntil(std::string_view end);
  // Something can be read, or the server has hung up.
  bool HasInput();
  // Exactly so many bytes, or fewer when the server hangs up before.
  std::string ReadBytes(size_t bytes);
  // All until the server hangs up.
  std::string ReadAll();
  // Head and body of one answer with Content-Length or chunks; the chunks' lengths are taken out.
  struct Answer {
    std::string head;
    std::string body;
    int status() const;
  };
  Answer ReadAnswer(bool head_only = false);

  void HalfClose();  // sends nothing more, still reads
  void Close();
  void Reset();  // as if the process were killed with bytes unread

 private:
  void Connect(uint16_t port, std::string_view host);
  bool ReadMore();

  std::unique_ptr<boost::asio::io_context> io_;
  boost::asio::ip::tcp::socket socket_;
  std::string buffer_;
};

}  // namespace fathom

#endif  // FATHOM_NET_RAW_CLIENT_TESTING_H_
