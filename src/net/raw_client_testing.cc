#include "net/raw_client_testing.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"

namespace fathom {

using boost::asio::ip::tcp;
using boost::system::error_code;

RawClient::RawClient(uint16_t port, std::string_view host)
    : io_(std::make_unique<boost::asio::io_context>()), socket_(*io_) {
  Connect(port, host);
}

RawClient::RawClient(uint16_t port, std::string_view host, boost::asio::io_context& io)
    : socket_(io) {
  Connect(port, host);
}

void RawClient::Connect(uint16_t port, std::string_view host) {
  error_code error;
  socket_.connect({boost::asio::ip::make_address(std::string(host)), port}, error);
  FATHOM_CHECK(!error);
  socket_.set_option(tcp::no_delay(true));
}

bool RawClient::CanConnect(uint16_t port) {
  boost::asio::io_context io;
  tcp::socket socket(io);
  error_code error;
  socket.connect({boost::asio::ip::make_address("127.0.0.1"), port}, error);
  return !error;
}

std::string RawClient::address() const {
  const tcp::endpoint own = socket_.local_endpoint();
  return own.address().to_string() + ":" + std::to_string(own.port());
}

bool RawClient::Send(std::string_view bytes) {
  error_code error;
  boost::asio::write(socket_, boost::asio::buffer(bytes), error);
  return !error;
}

bool RawClient::ReadMore() {
  std::array<char, 65536> bytes;
  error_code error;
  const size_t read = socket_.read_some(boost::asio::buffer(bytes), error);
  buffer_.append(bytes.data(), read);
  return !error;
}

bool RawClient::HasInput() {
  socket_.non_blocking(true);
  std::array<char, 1> byte;
  error_code error;
  socket_.receive(boost::asio::buffer(byte), boost::asio::socket_base::message_peek, error);
  socket_.non_blocking(false);
  return error != boost::asio::error::would_block;
}

std::string RawClient::ReadBytes(size_t bytes) {
  while (buffer_.size() < bytes && ReadMore()) {
  }
  const std::string taken = buffer_.substr(0, bytes);
  buffer_.erase(0, taken.size());
  return taken;
}

std::string RawClient::ReadUntil(std::string_view end) {
  size_t found = buffer_.find(end);
  while (found == std::string::npos && ReadMore()) found = buffer_.find(end);
  return ReadBytes(found == std::string::npos ? buffer_.size() : found + end.size());
}

std::string RawClient::ReadAll() {
  while (ReadMore()) {
  }
  return ReadBytes(buffer_.size());
}

int RawClient::Answer::status() const {
  return head.starts_with("HTTP/1.1 ") ? std::stoi(head.substr(9, 3)) : 0;
}

RawClient::Answer RawClient::ReadAnswer(bool head_only) {
  Answer answer{ReadUntil("\r\n\r\n"), ""};
  if (head_only) return answer;
  constexpr std::string_view kLength = "Content-Length: ";
  const size_t length = answer.head.find(kLength);
  if (length != std::string::npos) {
    answer.body = ReadBytes(std::stoul(answer.head.substr(length + kLength.size())));
  } else if (answer.head.find("Transfer-Encoding: chunked\r\n") != std::string::npos) {
    while (true) {
      const std::string line = ReadUntil("\r\n");
      const size_t size = line.empty() ? 0 : std::stoul(line, nullptr, 16);
      answer.body += ReadBytes(size);
      ReadUntil("\r\n");
      if (size == 0) break;
    }
  }
  return answer;
}

void RawClient::HalfClose() { socket_.shutdown(tcp::socket::shutdown_send); }
void RawClient::Close() { socket_.close(); }

void RawClient::Reset() {
  socket_.set_option(boost::asio::socket_base::linger(true, 0));
  socket_.close();
}

}  // namespace fathom
