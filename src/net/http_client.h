#ifndef FATHOM_NET_HTTP_CLIENT_H_
#define FATHOM_NET_HTTP_CLIENT_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http_message.h"

namespace fathom {

struct HttpClientOptions {
  std::string url = {};  // "http://127.0.0.1:8000"; a path behind it goes in front of each target
  std::string ca_file = {};  // PEM; whom to trust for https; empty: the system's authorities
  int64_t connect_timeout_ms = 10'000;  // TLS included, the look-up of a name not
  int64_t max_header_bytes = 1 << 20;
  int64_t max_body_bytes = int64_t{1} << 30;
};

// A request to send. Host, Content-Length and Connection are the client's own: none of them may be
// in `headers`.
struct HttpCall {
  std::string method = "GET";
  std::string target = "/";  // as on the wire: percent-encoded, with the query
  HttpHeaders headers = {};
  std::string body = {};
};

// A part of an answer's body, as it comes; false drops the connection, which ends the call.
using HttpPieceHandler = std::function<bool(const HttpResponse& head, std::string_view piece)>;

// A blocking HTTP/1.1 client of one server. It opens a connection at the first call and reuses it
// as long as the server lets it; after an error or a dropped answer the next call opens another. A
// GET or HEAD whose reused connection turns out to be closed is sent once more.
//
// Errors    kFailed, with address and cause: refused, no such name, timed out, closed early, no
//           HTTP, a certificate that is not trusted. An HTTP status is no error.
// Threads   one at a time, but Abort.
class HttpClient {
 public:
  // Connects to nobody yet. Errors (kBadInput): the url, the CA file; kDoesNotFit: no
  // more open files are allowed. A client has four open.
  static Result<std::unique_ptr<HttpClient>> Create(HttpClientOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // The whole answer, within `timeout` from now.
  Result<HttpResponse> Send(const HttpCall& call, std::chrono::milliseconds timeout);
  // Hands the body on as it comes; the answer that is returned has none. `silence` is the most time
  // that may pass without a byte.
  Result<HttpResponse> Stream(const HttpCall& call, std::chrono::milliseconds silence,
                              const HttpPieceHandler& on_piece);

  // Ends the call at hand, and each that comes, with an error. Any thread.
  void Abort();

 private:
  class Session;
  explicit HttpClient(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

}  // namespace fathom

#endif  // FATHOM_NET_HTTP_CLIENT_H_
