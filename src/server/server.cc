#include "server/server.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "engine/engine.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/http_server.h"
#include "server/api_keys.h"
#include "server/engine_loop.h"
#include "server/health.h"
#include "server/idle_heap.h"
#include "server/metrics.h"
#include "server/preparation.h"
#include "server/request_log.h"
#include "server/router.h"
#include "server/served_model.h"
#include "server/serving.h"
#include "server/text_routes.h"

namespace fathom {
namespace {

constexpr auto kTick = std::chrono::milliseconds(1000);
// How often Drain looks; what it waits for takes seconds.
constexpr auto kDrainLook = std::chrono::milliseconds(20);
// For the last bytes of answers to leave.
constexpr auto kGoodbye = std::chrono::milliseconds(2000);

int64_t UnixSeconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Server::Server(ServerOptions options, ApiKeys keys, const Clock& clock, ServerLog& log)
    : options_(std::move(options)),
      clock_(clock),
      log_(log),
      health_(options_.step_timeout_s),
      refusals_(log, metrics_),
      router_(Routes(), std::move(keys), options_.cors, refusals_) {}

Result<std::unique_ptr<Server>> Server::Listen(ServerOptions options, ApiKeys keys,
                                               const Clock& clock, ServerLog& log) {
  std::unique_ptr<Server> server(new Server(std::move(options), std::move(keys), clock, log));
  const auto handle = [server = server.get()](HttpRequest request, HttpReply reply) {
    server->router_.Dispatch(std::move(request), std::move(reply), server->clock_.Seconds());
  };
  const auto refuse = [server = server.get()](const HttpRefusal& refusal) {
    return server->router_.Refuse(refusal);
  };
  const auto screen = [server = server.get()](const HttpRequest& head) {
    return server->router_.Screen(head);
  };
  FATHOM_TRY(server->http_, HttpServer::Bind(server->options_.http, {handle, refuse, screen}));
  server->http_->StartAccepting();
  server->watch_ = std::thread([server = server.get()] { server->Watch(); });
  return server;
}

Server::~Server() {
  if (watch_.joinable()) {
    {
      const std::lock_guard lock(watch_mutex_);
      stop_ = true;
    }
    watch_ends_.notify_one();
    watch_.join();
  }
  // No request comes any more, and every client is gone, before what they use goes.
  if (http_) http_->Stop();
  serving_.reset();
}

std::string Server::address() const { return http_->address(); }
uint16_t Server::port() const { return http_->port(); }

void Server::Start(ServedModel model, Engine& engine) {
  ServingOptions options = options_.serving;
  options.unsent_bytes = [this] { return UnreadBytes(); };
  serving_ = std::make_unique<Serving>(std::move(model), engine, options, clock_, metrics_, log_);
  ready_ = serving_.get();
  health_.Ready();
}

int64_t Server::open() const {
  const Serving* serving = ready_;
  return serving == nullptr ? 0 : serving->open();
}

bool Server::Drain(double seconds, const std::function<bool()>& hurry) {
  health_.Draining();
  const double until_s = clock_.Seconds() + seconds;
  const auto wait_while = [&](const auto& busy) {
    while (busy() && clock_.Seconds() < until_s && !hurry()) {
      std::this_thread::sleep_for(kDrainLook);
    }
  };
  Serving* serving = ready_;
  if (serving != nullptr) serving->StopTaking();
  log_.Info("draining", {{"requests", open()}, {"seconds", seconds}});
  wait_while([this] { return open() > 0; });
  const int64_t left = open();
  if (left > 0) serving->EndAll(NotReady("draining", ""));
  http_->StopAccepting();
  wait_while([this] { return UnreadBytes() > 0; });
  http_->AwaitClosed(kGoodbye);
  const int64_t unread = UnreadBytes();
  if (left == 0 && unread == 0) return true;
  log_.Warn("drain_timeout", {{"requests_ended", left}, {"unread_bytes", unread}});
  return false;
}

int64_t Server::UnreadBytes() const { return http_->stats().buffered_bytes; }

Serving* Server::NeedServing(const RoutedRequest& routed) {
  Serving* serving = ready_;
  if (serving != nullptr) return serving;
  const ApiError error = NotReady("starting", CheckHealth().reason);
  refusals_.Note(routed.id, routed.request, error);
  routed.SendError(error);
  return nullptr;
}

RouteHandler Server::Generation(Prepared (*prepare)(const ServedModel&, RoutedRequest&,
                                                    const RequestTime&)) {
  return [this, prepare](RoutedRequest routed) {
    Serving* serving = NeedServing(routed);
    if (serving == nullptr) return;
    serving->Generate(std::move(routed), [serving, prepare](RoutedRequest& request) {
      return prepare(serving->model(), request, {UnixSeconds(), LocalDate()});
    });
  };
}

RouteHandler Server::Text(TextResult (*answer)(const ServedModel&, const RoutedRequest&,
                                               const RequestTime&)) {
  return [this, answer](RoutedRequest routed) {
    Serving* serving = NeedServing(routed);
    if (serving == nullptr) return;
    serving->Answer(std::move(routed), [serving, answer](const RoutedRequest& request) {
      return answer(serving->model(), request, {UnixSeconds(), LocalDate()});
    });
  };
}

RouteHandler Server::Model(TextResult (*answer)(const ServedModel&, const RoutedRequest&)) {
  return [this, answer](const RoutedRequest& routed) {
    Serving* serving = NeedServing(routed);
    if (serving != nullptr) serving->Reply(routed, answer(serving->model(), routed));
  };
}

HealthReport Server::CheckHealth() const {
  const Serving* serving = ready_;
  std::optional<LoopProgress> progress;
  if (serving != nullptr) progress = serving->loop().progress();
  return health_.Check(progress, clock_.Seconds());
}

void Server::AnswerHealth(const RoutedRequest& routed) const {
  const HealthReport report = CheckHealth();
  Json body = Json::MakeObject({{"status", report.name()}});
  if (!report.reason.empty()) body.Set("reason", report.reason);
  routed.SendJson(report.ready() ? 200 : 503, body.Dump() + "\n");
}

void Server::AnswerMetrics(const RoutedRequest& routed) const {
  const HttpServerStats http = http_->stats();
  const Serving* serving = ready_;
  const EngineGauges engine = serving == nullptr ? EngineGauges() : serving->loop().gauges();
  const std::string model = serving == nullptr ? "" : serving->model().names.front();
  const HttpGauges gauges{http.open_connections, http.buffered_bytes, http.dropped_slow_readers,
                          http.refused_connections, http.body_bytes};
  routed.reply.Send({200, routed.headers, metrics_.Render(model, engine, gauges),
                     "text/plain; version=0.0.4; charset=utf-8"});
}

void Server::Watch() {
  IdleHeap heap;
  int64_t stuck_step = 0;  // 0: none is
  std::unique_lock lock(watch_mutex_);
  while (!watch_ends_.wait_for(lock, kTick, [this] { return stop_; })) {
    const HealthReport report = CheckHealth();
    const int64_t was_stuck = std::exchange(stuck_step, report.step);
    if (was_stuck > 0 && was_stuck != stuck_step) log_.Info("unstuck", {{"step", was_stuck}});
    if (stuck_step > 0 && was_stuck != stuck_step) log_.Error("stuck", {{"reason", report.reason}});
    Serving* serving = ready_;
    if (serving == nullptr) continue;
    // A stuck engine's queue may be full: nobody waits for it here.
    if (stuck_step == 0) serving->Tick();
    heap.Look(serving->taken(), serving->open());
  }
}

std::vector<Route> Server::Routes() {
  const RouteHandler chat = Generation(PrepareChat);
  const RouteHandler completion = Generation(PrepareCompletion);
  const RouteHandler models = Model(AnswerModels);
  const RouteHandler model = Model(AnswerModel);
  const auto health = [this](const RoutedRequest& routed) { AnswerHealth(routed); };
  const auto version = [](const RoutedRequest& routed) {
    routed.SendJson(200, Json::MakeObject({{"version", FATHOM_VERSION}}).Dump());
  };
  const auto metrics = [this](const RoutedRequest& routed) { AnswerMetrics(routed); };
  const auto load = [this](const RoutedRequest& routed) {
    routed.SendJson(200, Json::MakeObject({{"server_load", open()}}).Dump());
  };
  const auto schedule = [this](const RoutedRequest& routed) {
    const Serving* serving = NeedServing(routed);
    if (serving != nullptr) routed.SendJson(200, serving->schedule().Body());
  };
  std::vector<Route> routes = {
      {"GET", "/health", health, {.open = true, .vital = true}},
      {"GET", "/ping", health, {.open = true, .vital = true}},
      {"POST", "/ping", health, {.open = true, .vital = true}},
      {"GET", "/version", version, {.open = true, .vital = true}},
      {"GET", "/metrics", metrics, {.open = !options_.metrics_need_key, .vital = true}},
      {"GET", "/load", load, {.open = !options_.metrics_need_key, .vital = true}},
      {"GET", "/debug/schedule", schedule},
      {"POST", "/tokenize", Text(AnswerTokenize)},
      {"POST", "/detokenize", Text(AnswerDetokenize)},
  };
  for (const char* path : {"/v1/chat/completions", "/chat/completions", "/beta/chat/completions"}) {
    routes.push_back({"POST", path, chat});
  }
  for (const char* path : {"/v1/completions", "/completions", "/beta/completions"}) {
    routes.push_back({"POST", path, completion});
  }
  for (const char* path : {"/v1/models", "/models"}) routes.push_back({"GET", path, models});
  for (const char* path : {"/v1/models/", "/models/"}) {
    routes.push_back({"GET", path, model});
  }
  return routes;
}

}  // namespace fathom
