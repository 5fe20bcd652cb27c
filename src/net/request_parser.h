#ifndef FATHOM_NET_REQUEST_PARSER_H_
#define FATHOM_NET_REQUEST_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/http_message.h"
#include "net/request_fault.h"

namespace fathom {

struct HttpRequestLimits {
  int64_t header_bytes = 64 << 10;  // of the header; of a chunk's head and of the trailer, too
  int64_t body_bytes = 32 << 20;
};

struct ParsedRequest {
  HttpRequest request;
  bool http10 = false;
  bool keep_alive = true;  // the client wishes to go on with the connection
};

// Cuts a client's bytes into requests. No socket: Feed it, ask Next. Which bytes come in one Feed
// makes no difference to what comes out.
//
// Memory    at most the limits and what was fed beyond the request at hand.
// Threads   one at a time.
class RequestParser {
 public:
  // `peer` is who sends the bytes, as the requests have it.
  explicit RequestParser(HttpRequestLimits limits, std::string peer = "");
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

  void Feed(std::string_view bytes);

  enum class Event {
    kNeedMore,  // feed more first
    kHeader,    // see head; the body comes next: ask Next again
    kContinue,  // the client waits for "100 Continue" before it sends the body; ask Next again
    kRequest,   // take it with Take
    kFault,     // see fault; what follows cannot be understood: each further Next says the same
  };
  Event Next();

  // After kHeader: the request without its body; borrowed until Next, Take or GiveUp.
  const HttpRequest& head() const;
  // After kHeader: its body may have so many bytes only, if that is less than the limits allow.
  void LimitBody(int64_t bytes);
  // The request that Next announced; the parser goes on with the one behind it.
  ParsedRequest Take();
  const RequestFault& fault() const { return fault_; }
  // Ends: gives the memory of the request at hand back, and drops what is fed from now on. Returns
  // what was understood of that request, or of the faulty one: its method, path and query where its
  // first line was, and the headers of the whole lines that came before the fault; no body. Next is
  // not asked any more.
  HttpRequest GiveUp();

  // Nothing of a further request was fed.
  bool between_requests() const { return message_ == nullptr && unread_bytes() == 0 && !faulty_; }
  // The header of the request at hand was read, its body was not.
  bool in_body() const;
  // Bytes of that body so far.
  int64_t body_bytes() const;
  // What was fed and not yet understood.
  size_t unread_bytes() const { return input_.size() - consumed_; }

 private:
  struct Message;

  std::string_view unread() const { return std::string_view(input_).substr(consumed_); }
  Event ReadHeader();
  std::string_view HeaderLines() const;
  bool CutHeader();
  Event TakeHeader();
  Event BeginBody();
  Event ReadBody();
  void End();
  Event Fault(RequestFault fault);
  Event LineFault();
  Event ChunkFault(bool bad_extension);
  Event HeaderTooLarge(std::string_view part);

  const HttpRequestLimits limits_;
  const std::string peer_;
  std::string input_;
  size_t consumed_ = 0;  // bytes of input_ that were understood; dropped by the next Feed
  std::unique_ptr<Message> message_;
  RequestFault fault_;
  HttpRequest understood_;  // of the faulty one
  bool faulty_ = false;
};

}  // namespace fathom

#endif  // FATHOM_NET_REQUEST_PARSER_H_
