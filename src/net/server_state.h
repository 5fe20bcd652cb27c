#ifndef FATHOM_NET_SERVER_STATE_H_
#define FATHOM_NET_SERVER_STATE_H_

#include <atomic>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "net/body_budget.h"
#include "net/http_options.h"
#include "net/http_server.h"
#include "net/idle_list.h"

namespace fathom {

// How many connections are open. Threads: any.
class OpenConnections {
 public:
  void Add(int64_t count);
  int64_t count() const;
  // False when some are open after `limit`.
  bool AwaitNone(std::chrono::milliseconds limit);

 private:
  mutable std::mutex mutex_;
  std::condition_variable none_;
  int64_t count_ = 0;
};

// What the connections of one server share. Outlives them.
struct ServerState {
  HttpServerOptions options;
  HttpService service;
  std::unique_ptr<boost::asio::ssl::context> tls;  // null: plain
  const Clock* clock = nullptr;

  std::shared_ptr<BodyBudget> bodies;  // requests may outlive the server
  IdleList idle;
  IdleList spare_idle;  // the spare ones
  OpenConnections open;
  std::atomic<int64_t> spare = 0;  // open ones beyond max_connections
  std::atomic<bool> draining = false;
  std::atomic<int64_t> accepted = 0;
  std::atomic<int64_t> refused = 0;
  std::atomic<int64_t> evicted = 0;
  std::atomic<int64_t> requests = 0;
  std::atomic<int64_t> dropped = 0;
  std::atomic<int64_t> buffered_bytes = 0;
};

}  // namespace fathom

#endif  // FATHOM_NET_SERVER_STATE_H_
