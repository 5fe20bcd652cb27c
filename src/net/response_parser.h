#ifndef FATHOM_NET_RESPONSE_PARSER_H_
#define FATHOM_NET_RESPONSE_PARSER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http_message.h"

namespace fathom {

// Reads the answer to one request out of a server's bytes. No socket. Interim answers ("100
// Continue") are passed over. Which bytes come in one Feed makes no difference to the whole.
class ResponseParser {
 public:
  struct Limits {
    int64_t header_bytes = 1 << 20;
    int64_t body_bytes = int64_t{1} << 30;  // of the whole body, also if it is taken in pieces
  };
  // After HEAD an answer has no body, whatever it says.
  ResponseParser(bool after_head, Limits limits);
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;
  ~ResponseParser();

  // Errors (kFailed): the bytes are no answer of HTTP/1.1, or are above a limit. Not after one, nor
  // when done.
  Status Feed(std::string_view bytes);
  // The server has closed the connection, which is the end of some bodies. Errors (kFailed): it is
  // not the end of this one.
  Status End();

  bool begun() const { return begun_; }  // something came
  bool header_done() const;
  bool done() const;
  // The connection can serve another request: the server said so and sent nothing beyond the
  // answer.
  bool reusable() const;

  // Status and headers, once header_done; without body.
  const HttpResponse& head() const { return head_; }
  // The part of the body that came since the last call.
  std::string TakeBody();

 private:
  struct Message;

  Status FeedHeader();
  Status FeedBody();
  void Restart();
  void TakeHead();

  const bool after_head_;
  const Limits limits_;
  std::unique_ptr<Message> message_;
  std::string input_;  // fed and not yet understood
  HttpResponse head_;
  int64_t header_bytes_ = 0;
  bool begun_ = false;
};

}  // namespace fathom

#endif  // FATHOM_NET_RESPONSE_PARSER_H_
