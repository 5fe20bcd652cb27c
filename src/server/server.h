#ifndef FATHOM_SERVER_SERVER_H_
#define FATHOM_SERVER_SERVER_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/engine.h"
#include "net/http_options.h"
#include "net/http_server.h"
#include "server/api_keys.h"
#include "server/health.h"
#include "server/metrics.h"
#include "server/preparation.h"
#include "server/refusals.h"
#include "server/request_log.h"
#include "server/router.h"
#include "server/served_model.h"
#include "server/serving.h"
#include "server/text_routes.h"

namespace fathom {

struct ServerOptions {
  HttpServerOptions http = {};
  CorsOptions cors = {};
  ServingOptions serving = {};
  double step_timeout_s = 120;  // of the engine; a longer step is reported as stuck
  bool metrics_need_key = false;
};

// The server's life: it listens from the start and says what it is doing; answers once Start has
// given it a model; drains; ends.
//
// Threads   all functions from the thread that made it; requests come on the network's threads.
class Server {
 public:
  // Errors: those of HttpServer::Listen. clock and log must outlive the server.
  static Result<std::unique_ptr<Server>> Listen(ServerOptions options, ApiKeys keys,
                                                const Clock& clock, ServerLog& log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string address() const;
  uint16_t port() const;
  Health& health() { return health_; }

  // From now on requests are answered. The engine, and the text of the model, must outlive the
  // server.
  void Start(ServedModel model, Engine& engine);

  int64_t open_connections() const { return http_->stats().open_connections; }
  // Requests that were taken and whose answers are not written yet.
  int64_t open() const;

  // Takes no new requests and waits until those it has are answered, also those that are not
  // prepared yet, and clients have read their answers, at most `seconds`, or until `hurry` says so;
  // then ends the rest with an error. True when none had to be ended and nothing was left unread.
  bool Drain(double seconds, const std::function<bool()>& hurry);

 private:
  Server(ServerOptions options, ApiKeys keys, const Clock& clock, ServerLog& log);

  // Of answers that clients have not taken.
  int64_t UnreadBytes() const;

  std::vector<Route> Routes();
  RouteHandler Generation(Prepared (*prepare)(const ServedModel&, RoutedRequest&,
                                              const RequestTime&));
  RouteHandler Text(TextResult (*answer)(const ServedModel&, const RoutedRequest&,
                                         const RequestTime&));
  // What costs next to nothing is answered on the network's thread.
  RouteHandler Model(TextResult (*answer)(const ServedModel&, const RoutedRequest&));
  // The model at work, or null after the request was told why there is none.
  Serving* NeedServing(const RoutedRequest& routed);
  HealthReport CheckHealth() const;
  void AnswerHealth(const RoutedRequest& routed) const;
  void AnswerMetrics(const RoutedRequest& routed) const;
  void Watch();

  const ServerOptions options_;
  const Clock& clock_;
  ServerLog& log_;
  Health health_;
  Metrics metrics_;
  Refusals refusals_;
  std::unique_ptr<Serving> serving_;
  std::atomic<Serving*> ready_ = nullptr;  // serving_, once it may be used
  Router router_;
  std::unique_ptr<HttpServer> http_;

  std::mutex watch_mutex_;
  std::condition_variable watch_ends_;
  bool stop_ = false;
  std::thread watch_;  // lets time go by, and says when the engine is stuck
};

}  // namespace fathom

#endif  // FATHOM_SERVER_SERVER_H_
