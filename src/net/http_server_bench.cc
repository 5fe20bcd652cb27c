// Events a second through one server with two network threads, as a step of decoding makes them:
// each step writes one event of 230 bytes, a chat chunk's size, to each stream, and the next begins
// when the client has all of them. The client, one thread, shares the processors.
//
// The floor is what the system takes for one send, one receive and one receive that finds nothing:
// 12 us on a loopback of a 2.4 GHz EPYC, so 170,000 events a second on two processors.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "net/http_message.h"
#include "net/http_options.h"
#include "net/http_reply.h"
#include "net/http_server.h"
#include "net/server_testing.h"
#include "net/sse_testing.h"

namespace fathom {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// Opens streams and counts the events that come.
class Reader {
 public:
  Reader(uint16_t port, int streams) {
    for (int i = 0; i < streams; ++i) {
      auto& stream = *streams_.emplace_back(std::make_unique<Stream>(io_));
      stream.socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
      boost::asio::write(stream.socket, boost::asio::buffer(
                                            std::string_view("GET / HTTP/1.1\r\nHost: h\r\n\r\n")));
      Read(stream);
    }
    thread_ = std::thread([this] { io_.run(); });
  }
  ~Reader() {
    io_.stop();
    thread_.join();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  void AwaitEvents(int64_t events) {
    for (int64_t now = events_; now < events; now = events_) events_.wait(now);
  }

 private:
  struct Stream {
    explicit Stream(boost::asio::io_context& io) : socket(io) {}
    tcp::socket socket;
    std::array<char, 4096> bytes{};
  };

  void Read(Stream& stream) {
    stream.socket.async_read_some(
        boost::asio::buffer(stream.bytes), [this, &stream](error_code error, size_t size) {
          if (error) return;
          const char* begin = stream.bytes.data();
          events_ += std::count(begin, begin + size, '}');  // one an event
          events_.notify_one();
          Read(stream);
        });
  }

  boost::asio::io_context io_{1};
  std::vector<std::unique_ptr<Stream>> streams_;
  std::atomic<int64_t> events_ = 0;
  std::thread thread_;
};

void BM_SseEvents(benchmark::State& state) {
  const auto streams = static_cast<int>(state.range(0));
  std::vector<HttpReply> replies;
  std::promise<void> all;
  HttpServerOptions options = AnyPort();
  options.network_threads = 1;                // `replies` is filled without a lock
  options.max_connections = 3 * streams + 1;  // the client's ends are files of this process too
  const auto server = Serve(
      [&](const HttpRequest&, const HttpReply& reply) {
        reply.StartStream({.content_type = "text/event-stream"});
        replies.push_back(reply);
        if (static_cast<int>(replies.size()) == streams) all.set_value();
      },
      options);
  Reader reader(server->port(), streams);
  all.get_future().get();
  const std::string event = SseEvent("{" + std::string(220, 'x') + "}");
  int64_t written = 0;
  const std::clock_t began = std::clock();
  for (auto _ : state) {
    for (const HttpReply& reply : replies) reply.Write(event);
    written += streams;
    reader.AwaitEvents(written);
  }
  state.SetItemsProcessed(written);
  // Of the whole process, the client included: what does not change when others use the machine.
  state.counters["cpu_us_per_event"] = static_cast<double>(std::clock() - began) * 1e6 /
                                       CLOCKS_PER_SEC / static_cast<double>(written);
}
BENCHMARK(BM_SseEvents)->Arg(1)->Arg(32)->Arg(1000)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fathom
