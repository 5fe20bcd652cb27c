#ifndef FATHOM_NET_HTTP_SERVER_H_
#define FATHOM_NET_HTTP_SERVER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "net/http_message.h"
#include "net/http_options.h"
#include "net/http_reply.h"

namespace fathom {

// Called for each request, on a network thread: it must not block. Other requests of that thread
// wait meanwhile. An exception that leaves it becomes status 500.
using HttpHandler = std::function<void(HttpRequest, HttpReply)>;

// A request that the server answers by itself, before the handler sees it or when the handler's
// reply was given up (500).
struct HttpRefusal {
  int status = 500;  // 400, 408, 413, 415, 417, 431, 500, 501, 503, 505
  std::string message;
  // What was understood of it: its peer always; its method, path and query where its first line
  // was; the headers of the whole lines that came before what is refused. Never its body.
  HttpRequest request;
};

// Makes the answer to it. Called on network threads, and where the last handle of a reply goes; it
// may call nothing of the reply or the server.
using HttpRefuse = std::function<HttpResponse(const HttpRefusal&)>;

// What the header of a request decides.
struct HttpVerdict {
  // Is given at once, and the handler does not see the request. Its body is neither asked for (100
  // Continue) nor kept; where it has not come whole, the connection ends with the answer.
  std::optional<HttpResponse> answer = std::nullopt;
  bool vital = false;  // the handler gets it also where all connections are in use
  int64_t max_body_bytes = std::numeric_limits<int64_t>::max();  // beside that of the options
};

// Called for each request when its header has come, on a network thread: it must not block.
using HttpScreen = std::function<HttpVerdict(const HttpRequest& head)>;

// "message\n" as text/plain.
HttpResponse PlainRefusal(const HttpRefusal& refusal);

// Who answers. The functions outlive the server and are called by several threads at once.
struct HttpService {
  HttpHandler handle;
  HttpRefuse refuse = PlainRefusal;
  HttpScreen screen = {};  // none: no header decides anything
};

struct HttpServerStats {
  int64_t open_connections = 0;
  int64_t accepted_connections = 0;  // since the start, as all below but the last two
  int64_t refused_connections = 0;   // 503 or no answer, max_connections was reached
  int64_t evicted_connections = 0;   // idle ones that made room
  int64_t requests = 0;              // handed to the handler
  int64_t dropped_slow_readers = 0;
  int64_t buffered_bytes = 0;  // of answers, that the system has not taken yet
  int64_t body_bytes = 0;      // that count for max_total_body_bytes
};

// An HTTP/1.1 server: keep-alive, pipelining (in order), chunked bodies, Expect: 100-continue,
// HEAD, TLS 1.2 and 1.3. It uses memory and time of a client within the options' limits only:
//   - a header or body that is too large is refused (431, 413), a declared one before it is read;
//   - bodies beyond max_total_body_bytes get 503;
//   - who sends too slowly gets 408; who says nothing between requests is disconnected;
//   - who does not read is disconnected: when a stream finds write_buffer_bytes waiting, or nothing
//     was taken for write_timeout_ms;
//   - at max_connections the longest idle connection makes room for a new one; when none is
//     idle the new one has a place of a reserve: one request is answered there if it is vital, else
//     it gets 503.
// A client that closes or half-closes its connection while its answer is being made is gone.
//
// Threads   all functions from any thread but where said.
class HttpServer {
 public:
  // Listens on all addresses that options.host stands for. Errors (kBadInput): an option out of
  // range, an unknown host, an address that cannot be had (with the process that has it, where it
  // may be seen), certificate or key that cannot be used; kDoesNotFit: fewer open files or threads
  // are allowed than the options need. Time-outs go by `clock`, which outlives the server; null:
  // the machine's.
  static Result<std::unique_ptr<HttpServer>> Listen(HttpServerOptions options, HttpService service,
                                                    const Clock* clock = nullptr);
  // The same, but clients wait until StartAccepting: for a handler that needs the server itself.
  static Result<std::unique_ptr<HttpServer>> Bind(HttpServerOptions options, HttpService service,
                                                  const Clock* clock = nullptr);
  void StartAccepting();  // once
  // Stops, as Stop.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const;
  // "http://127.0.0.1:8000", "https://[::]:8443": as it can be written into a browser's line.
  std::string address() const;

  // New connections are refused by the system from now on, idle ones are closed, the others when
  // their answer is complete.
  void StopAccepting();
  // Waits until no connection is open; false when some are after `limit`. Not on network threads.
  bool AwaitClosed(std::chrono::milliseconds limit);
  // Disconnects everyone (OnGone is called) and ends the threads. Not on network threads.
  void Stop();

  HttpServerStats stats() const;

 private:
  class Network;
  explicit HttpServer(std::unique_ptr<Network> network);

  std::unique_ptr<Network> network_;
};

}  // namespace fathom

#endif  // FATHOM_NET_HTTP_SERVER_H_
