#include "net/many_streams_testing.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/format.h"

namespace fathom {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Failure = boost::system::error_code;

constexpr size_t kHead = 512;
constexpr size_t kTail = 64;

double CpuSeconds(clockid_t clock) {
  timespec time{};
  FATHOM_CHECK(clock_gettime(clock, &time) == 0);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// One connection: sends, then reads until the server hangs up.
class Reader {
 public:
  Reader(asio::io_context& io, uint16_t port, const std::string& request)
      : socket_(io), request_(request) {
    socket_.async_connect({asio::ip::address_v4::loopback(), port}, [this](const Failure& failure) {
      FATHOM_CHECK(!failure);
      asio::async_write(socket_, asio::buffer(request_), [this](const Failure& not_sent, size_t) {
        if (!not_sent) Read();
      });
    });
  }

  const std::string& head() const { return head_; }
  const std::string& tail() const { return tail_; }
  int64_t bytes() const { return bytes_; }

 private:
  void Read() {
    socket_.async_read_some(asio::buffer(piece_), [this](const Failure& failure, size_t size) {
      Take({piece_.data(), size});
      if (!failure) return Read();
      socket_.close();
    });
  }

  void Take(std::string_view piece) {
    bytes_ += static_cast<int64_t>(piece.size());
    head_ += piece.substr(0, kHead - std::min(kHead, head_.size()));
    tail_ += piece.substr(piece.size() - std::min(kTail, piece.size()));
    if (tail_.size() > kTail) tail_.erase(0, tail_.size() - kTail);
  }

  tcp::socket socket_;
  const std::string& request_;
  std::array<char, 4096> piece_;
  std::string head_, tail_;
  int64_t bytes_ = 0;
};

}  // namespace

std::string ClosingPost(std::string_view path, std::string_view body) {
  return Format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      "Content-Length: {}\r\n\r\n{}",
      path, body.size(), body);
}

ManyAnswers ReadManyAnswers(uint16_t port, const std::string& request, int count) {
  asio::io_context io;
  std::deque<Reader> readers;
  for (int i = 0; i < count; ++i) readers.emplace_back(io, port, request);
  io.run();
  ManyAnswers answers;
  for (const Reader& reader : readers) {
    answers.heads.push_back(reader.head());
    answers.tails.push_back(reader.tail());
    answers.bytes += reader.bytes();
  }
  return answers;
}

double ThreadCpuSeconds() { return CpuSeconds(CLOCK_THREAD_CPUTIME_ID); }
double ProcessCpuSeconds() { return CpuSeconds(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace fathom
