#ifndef FATHOM_NET_EXCHANGE_H_
#define FATHOM_NET_EXCHANGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/response_head.h"

namespace fathom {

// The place where those who write an answer and the network thread that sends it meet: bytes that
// wait, and how far the answer is. HttpReply's functions have their contracts there.
//
// Threads   all functions from any thread but where said.
class Exchange {
 public:
  // The connection behind it. Its functions are called under the exchange's lock, until Detach.
  class Client {
   public:
    virtual ~Client() = default;
    // Has the network thread call Take soon.
    virtual void Schedule() = 0;
    // What is sent when all handles are gone and nothing was answered.
    virtual HttpResponse Abandoned() = 0;
  };
  struct Terms {
    ResponseManner manner;
    int64_t write_buffer_bytes = 1 << 20;
    // Of the server; they outlive the connection.
    std::atomic<int64_t>* buffered_bytes = nullptr;  // kept up to date
    const std::atomic<bool>* draining = nullptr;     // answers end their connection from now on
  };

  Exchange(Client& client, const Terms& terms);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // A handle whose last copy abandons the answer when it goes.
  static HttpReply Handle(std::shared_ptr<Exchange> exchange);

  bool Send(const HttpResponse& response);
  bool StartStream(const HttpResponse& response);
  bool Write(std::string_view bytes);
  bool Finish();
  void OnGone(std::function<void()> gone);
  std::string WhyDropped() const;

  // For the network thread, which is the only one that calls what follows.
  enum class Progress {
    kOpen,      // more will come
    kComplete,  // what was taken is the end; the client is not called any more
  };
  // Moves what waits into `out`, which is empty. When nothing waits and the answer is open, the
  // next byte schedules; otherwise the network thread takes again once `out` was sent.
  Progress Take(std::string& out);
  // Bytes that were taken and that the system has now.
  void Sent(size_t bytes);
  // The client is to be dropped: it does not read (slow), or its stream was abandoned. Has
  // scheduled.
  bool broken() const { return broken_; }
  bool slow() const { return slow_; }
  // Says why Detach will come.
  void Drop(std::string why);
  bool keep_alive() const;
  bool finished() const;  // the writers have handed over all
  // The client is gone, or complete answers were sent: calls OnGone's function if the answer is not
  // complete. The client is not called any more.
  void Detach();

 private:
  bool Begin(const HttpResponse& response, BodyEnd end);
  void AppendBody(std::string_view bytes);
  bool SendLocked(const HttpResponse& response);
  bool streaming() const;
  void Wake();
  void Break();
  void Abandon();

  mutable std::mutex mutex_;
  Client* client_;  // null: not to be called any more
  Terms terms_;
  BodyEnd end_ = BodyEnd::kLength;
  bool begun_ = false;
  bool finished_ = false;
  bool gone_ = false;
  bool scheduled_ = false;  // the network thread will take without being asked again
  std::atomic<bool> broken_ = false;
  std::atomic<bool> slow_ = false;
  std::string why_dropped_;
  std::string waiting_;
  std::atomic<int64_t> in_flight_ = 0;  // taken and not sent
  std::function<void()> on_gone_;
};

}  // namespace fathom

#endif  // FATHOM_NET_EXCHANGE_H_
