#include "net/http_server.h"

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "net/body_budget.h"
#include "net/connection.h"
#include "net/http_message.h"
#include "net/http_options.h"
#include "net/idle_list.h"
#include "net/listen.h"
#include "net/network_thread.h"
#include "net/open_files.h"
#include "net/server_state.h"
#include "net/tls.h"
#include "net/transport.h"
#include "net/url.h"

namespace fathom {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

// Connections above the limit: for what is vital, and to tell the others that there is no place.
constexpr int64_t kReserve = 64;

// Files that the rest of the program may have open beside the connections.
constexpr int64_t kOtherFiles = 128;

constexpr milliseconds kAcceptPause{50};

Status CheckOptions(const HttpServerOptions& options) {
  if (const auto fault = FindOptionFault(options)) {
    return BadInput(Format("{} is {}, allowed are {} to {}", fault->name, fault->value, fault->low,
                           fault->high),
                    "", "choose a value of this range");
  }
  if (options.tls_cert_file.empty() == options.tls_key_file.empty()) return Ok();
  return BadInput("TLS needs a certificate and its key, and one of the two files is not named", "",
                  "name both tls_cert_file and tls_key_file, or neither");
}

// Often enough that no timeout is overrun by more than a quarter, or a second.
milliseconds SweepInterval(const HttpServerOptions& options) {
  const int64_t shortest = std::min({options.header_timeout_ms, options.body_timeout_ms,
                                     options.idle_timeout_ms, options.write_timeout_ms});
  return milliseconds(std::clamp<int64_t>(shortest / 4, 5, 1000));
}

std::string PeerAddress(const tcp::endpoint& peer) {
  asio::ip::address address = peer.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return HostAndPort(address.to_string(), peer.port());
}

}  // namespace

HttpResponse PlainRefusal(const HttpRefusal& refusal) {
  return {refusal.status, {}, refusal.message + "\n", "text/plain; charset=utf-8"};
}

// The listening sockets, which live on the first network thread, and the threads.
class HttpServer::Network {
 public:
  Network(HttpServerOptions options, HttpService service, const Clock* clock) {
    state_.options = std::move(options);
    state_.bodies = std::make_shared<BodyBudget>(
        std::max(state_.options.max_total_body_bytes, state_.options.max_body_bytes));
    state_.service = std::move(service);
    state_.clock = clock == nullptr ? &steady_clock_ : clock;
  }
  ~Network() { Stop(); }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  Status Start();
  void StartAccepting();
  void StopAccepting();
  void Stop();

  ServerState& state() { return state_; }
  uint16_t port() const { return port_; }

 private:
  struct Door {
    explicit Door(tcp::acceptor from) : acceptor(std::move(from)), pause(acceptor.get_executor()) {}
    tcp::acceptor acceptor;
    asio::steady_timer pause;
  };

  Status MakeThreads();
  void Accept(Door& door);
  void OnAccept(Door& door, NetworkThread& thread, error_code error, tcp::socket socket);
  void AcceptLater(Door& door);
  void Admit(NetworkThread& thread, tcp::socket socket);
  bool MakeRoom(IdleList& idle_ones);

  const SteadyClock steady_clock_;
  ServerState state_;
  std::vector<std::unique_ptr<NetworkThread>> threads_;
  std::vector<std::unique_ptr<Door>> doors_;
  size_t next_thread_ = 0;
  uint16_t port_ = 0;
};

Status HttpServer::Network::Start() {
  const HttpServerOptions& options = state_.options;
  FATHOM_OK(AllowOpenFiles(options.max_connections, kReserve + kOtherFiles));
  if (!options.tls_cert_file.empty()) {
    FATHOM_TRY(state_.tls, ServerTls(options.tls_cert_file, options.tls_key_file));
  }
  FATHOM_OK(MakeThreads());
  FATHOM_TRY(auto acceptors,
             ListenOn(threads_[0]->io(), options.host, static_cast<uint16_t>(options.port)));
  port_ = acceptors[0].local_endpoint().port();
  for (const auto& thread : threads_) FATHOM_OK(thread->Start());
  for (tcp::acceptor& acceptor : acceptors) {
    doors_.push_back(std::make_unique<Door>(std::move(acceptor)));
  }
  return Ok();
}

void HttpServer::Network::StartAccepting() {
  asio::post(threads_[0]->io(), [this] {
    if (state_.draining) return;
    for (const auto& door : doors_) Accept(*door);
  });
}

Status HttpServer::Network::MakeThreads() {
  try {
    for (int64_t i = 0; i < state_.options.network_threads; ++i) {
      threads_.push_back(std::make_unique<NetworkThread>(SweepInterval(state_.options)));
    }
  } catch (const boost::system::system_error& refused) {
    return NoEventQueue(refused.code());
  }
  return Ok();
}

void HttpServer::Network::Accept(Door& door) {
  NetworkThread& thread = *threads_[next_thread_++ % threads_.size()];
  door.acceptor.async_accept(thread.io(),
                             [this, &door, &thread](error_code error, tcp::socket socket) {
                               OnAccept(door, thread, error, std::move(socket));
                             });
}

void HttpServer::Network::OnAccept(Door& door, NetworkThread& thread, error_code error,
                                   tcp::socket socket) {
  if (state_.draining) return;
  if (error) return AcceptLater(door);
  Admit(thread, std::move(socket));
  Accept(door);
}

// Most likely there are no file descriptors left: idle connections have some.
void HttpServer::Network::AcceptLater(Door& door) {
  if (!MakeRoom(state_.idle)) MakeRoom(state_.spare_idle);
  door.pause.expires_after(kAcceptPause);
  door.pause.async_wait([this, &door](error_code error) {
    if (!error && !state_.draining) Accept(door);
  });
}

bool HttpServer::Network::MakeRoom(IdleList& idle_ones) {
  const auto idle = idle_ones.TakeOldest();
  if (idle == nullptr) return false;
  ++state_.evicted;
  idle->Evict();
  return true;
}

void HttpServer::Network::Admit(NetworkThread& thread, tcp::socket socket) {
  error_code gone;
  const tcp::endpoint peer = socket.remote_endpoint(gone);
  if (gone) return;
  ++state_.accepted;
  const bool full = state_.open.count() - state_.spare >= state_.options.max_connections;
  const bool spare = full && !MakeRoom(state_.idle);
  if (spare && state_.spare >= kReserve && !MakeRoom(state_.spare_idle)) {
    ++state_.refused;
    return;
  }
  state_.open.Add(1);
  if (spare) ++state_.spare;
  auto connection = std::make_shared<Connection>(
      state_, thread,
      Connection::Peer{MakeTransport(std::move(socket), state_.tls.get()), PeerAddress(peer),
                       spare});
  asio::post(thread.io(), [connection] { connection->Start(); });
}

void HttpServer::Network::StopAccepting() {
  if (doors_.empty() || state_.draining.exchange(true)) return;
  std::promise<void> closed;
  asio::dispatch(threads_[0]->io(), [&] {
    for (const auto& door : doors_) {
      door->pause.cancel();
      error_code ignored;
      door->acceptor.close(ignored);
    }
    closed.set_value();
  });
  closed.get_future().wait();
  for (const auto& thread : threads_) thread->DrainAll();
}

void HttpServer::Network::Stop() {
  StopAccepting();
  for (const auto& thread : threads_) thread->Stop();
}

HttpServer::HttpServer(std::unique_ptr<Network> network) : network_(std::move(network)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(HttpServerOptions options,
                                                       HttpService service, const Clock* clock) {
  FATHOM_TRY(std::unique_ptr<HttpServer> server,
             Bind(std::move(options), std::move(service), clock));
  server->StartAccepting();
  return server;
}

Result<std::unique_ptr<HttpServer>> HttpServer::Bind(HttpServerOptions options, HttpService service,
                                                     const Clock* clock) {
  FATHOM_OK(CheckOptions(options));
  auto network = std::make_unique<Network>(std::move(options), std::move(service), clock);
  FATHOM_OK(network->Start());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(network)));
}

uint16_t HttpServer::port() const { return network_->port(); }

std::string HttpServer::address() const {
  const HttpServerOptions& options = network_->state().options;
  std::string host = options.host.empty() ? "0.0.0.0" : options.host;
  if (host.front() == '[') host = host.substr(1, host.size() - 2);
  return Url{network_->state().tls != nullptr, host, port(), ""}.origin();
}

void HttpServer::StartAccepting() { network_->StartAccepting(); }
void HttpServer::StopAccepting() { network_->StopAccepting(); }
void HttpServer::Stop() { network_->Stop(); }

bool HttpServer::AwaitClosed(milliseconds limit) { return network_->state().open.AwaitNone(limit); }

HttpServerStats HttpServer::stats() const {
  const ServerState& state = network_->state();
  return {.open_connections = state.open.count(),
          .accepted_connections = state.accepted,
          .refused_connections = state.refused,
          .evicted_connections = state.evicted,
          .requests = state.requests,
          .dropped_slow_readers = state.dropped,
          .buffered_bytes = state.buffered_bytes,
          .body_bytes = state.bodies->taken()};
}

}  // namespace fathom
