#ifndef FATHOM_NET_CONNECTION_H_
#define FATHOM_NET_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "net/body_budget.h"
#include "net/exchange.h"
#include "net/http_message.h"
#include "net/idle_list.h"
#include "net/network_thread.h"
#include "net/request_parser.h"
#include "net/response_head.h"
#include "net/server_state.h"
#include "net/transport.h"

namespace fathom {

// One client's connection, from the first byte to the last:
//
//   greeting -> idle -> header -> body -> answering -> idle ...   or -> leaving -> closed
//
// A read is under way in all of these states, also while an answer is being made: so the client's
// end is noticed at once, and what it sends ahead is kept for later. At most one write is under
// way; what is handed over meanwhile goes out with the next.
//
// Threads   its network thread, but where said.
class Connection final : public TransportUser,
                         public Exchange::Client,
                         public NetworkThread::Member,
                         public std::enable_shared_from_this<Connection> {
 public:
  struct Peer {
    std::unique_ptr<Transport> transport;
    std::string address;
    bool spare = false;  // one beyond those that are allowed
  };
  // Both references outlive it.
  Connection(ServerState& server, NetworkThread& thread, Peer peer);
  ~Connection() override;

  void Start();
  // Closes a connection that was taken off the list of idle ones. Any thread.
  void Evict();

  void OnHandshake(HandshakeEnd end) override;
  void OnRead(size_t bytes) override;
  void OnWritten(size_t bytes) override;
  void OnGoodbye() override;
  void Flush() override;
  void Sweep() override;
  void Drain() override;
  void Close(bool abort) override;
  void Schedule() override;           // any thread
  HttpResponse Abandoned() override;  // any thread

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  enum class Phase { kGreeting, kIdle, kHeader, kBody, kAnswering, kLeaving, kClosed };

  double After(int64_t time_ms) const;
  void Read();
  void OnEnd();
  void AwaitRequest();
  void BeginHeader();
  void Parse();
  bool Screened();
  void AnswerHead(const HttpResponse& answer);
  void AwaitBytes();
  void SendContinue();
  bool HoldBody();
  void Dispatch();
  void Handle(HttpRequest request);
  void AnswerFault(int status, std::string message);
  void OpenExchange(ResponseManner manner);
  void Write();
  void AnswerDone();
  void Leave();

  ServerState& server_;
  NetworkThread& thread_;
  std::unique_ptr<Transport> transport_;
  const bool spare_;
  IdleList& idle_list_;
  IdleList::Entry idle_;

  Phase phase_ = Phase::kGreeting;
  double deadline_ = kNever;  // seconds of the server's clock, as all times here
  double body_began_ = 0;

  RequestParser parser_;
  std::shared_ptr<BodyShare> share_;  // of the body at hand; null: it is small
  std::vector<char> scratch_;
  bool reading_ = false;
  bool tls_;             // the client speaks it
  bool ended_ = false;   // the client sends nothing more
  bool faulty_ = false;  // what the client sends is not read as requests any more

  std::shared_ptr<Exchange> exchange_;  // while answering
  HttpRequest asked_;                   // what it answers, without the body
  bool complete_ = false;               // out_ holds the end of the answer
  std::string out_;
  size_t sent_ = 0;  // bytes of out_
  bool writing_ = false;
  bool interim_ = false;  // out_ is "100 Continue", no part of an exchange
  double write_deadline_ = kNever;
};

}  // namespace fathom

#endif  // FATHOM_NET_CONNECTION_H_
