#ifndef FATHOM_NET_HTTP_REPLY_H_
#define FATHOM_NET_HTTP_REPLY_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/http_message.h"

namespace fathom {

class Exchange;

// The answer to one request: either Send, or StartStream, Write..., Finish. Copies are handles on
// the same answer. When the last one goes and the answer is not complete, the client gets status
// 500, or a stream that visibly breaks off: no accepted request is left without an end.
//
// Threads   every function from any thread, at any time; none blocks. Bytes of Writes from several
//           threads are not mixed; their order is that of the calls.
// Lifetime  may outlive the connection and the server; then nothing happens.
class HttpReply {
 public:
  // Made by the server.
  explicit HttpReply(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

  // The whole answer. False when it has been begun before, or the client is gone.
  bool Send(const HttpResponse& response) const;

  // Begins an answer of unknown length; response.body is its first piece. It goes out in chunks, or
  // to a client of HTTP/1.0 until the connection closes. False as for Send.
  bool StartStream(const HttpResponse& response) const;
  // Hands bytes over; what is handed over before the network takes it goes out together. False when
  // there is no open stream: the client is gone, or was dropped because more than
  // write_buffer_bytes waited for it.
  bool Write(std::string_view bytes) const;
  // Ends the stream. False as for Write.
  bool Finish() const;

  // Calls `gone` once, from a network thread, when the client disconnects, is dropped or the server
  // stops before the answer is complete; at once, from here, when that has happened already. One
  // function at a time: a second takes the first's place. It must not block.
  void OnGone(std::function<void()> gone) const;
  // What the client did that it was dropped for; "" when it was not, or left by itself.
  std::string WhyDropped() const;

 private:
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace fathom

#endif  // FATHOM_NET_HTTP_REPLY_H_
