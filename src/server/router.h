#ifndef FATHOM_SERVER_ROUTER_H_
#define FATHOM_SERVER_ROUTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/http_server.h"
#include "server/api_keys.h"
#include "server/refusals.h"

namespace fathom {

// A request that found its route, and what its answer needs.
struct RoutedRequest {
  HttpRequest request;
  HttpReply reply;
  HttpHeaders headers;    // of every answer: request id, CORS
  std::string id;         // from X-Request-Id, or made up
  std::string trace;      // W3C traceparent as sent, or "" where it is none
  std::string path_rest;  // what follows the prefix of a route that ends in '/'
  double arrived_s = 0;
  uint64_t client = 0;  // who asks: a number for each key, or for each address without keys

  // Each may be called from any thread; the first answers, others do nothing.
  void SendJson(int status, std::string body) const;
  void SendError(const ApiError& error) const;
};

using RouteHandler = std::function<void(RoutedRequest)>;

struct Route {
  std::string_view method;  // GET routes answer HEAD too
  std::string_view path;    // whole; one that ends in '/' takes all that begins so
  RouteHandler handle;
  struct Access {
    bool open = false;   // needs no key
    bool vital = false;  // is answered also where all connections are in use
  };
  Access access = {};
};

// What answers carry for clients in a browser (https://fetch.spec.whatwg.org/#http-cors-protocol).
struct CorsOptions {
  std::vector<std::string> allowed_origins;  // "*": any; none: no CORS headers
};

// The answer that says `error`, with `headers`.
HttpResponse ErrorResponse(const ApiError& error, HttpHeaders headers);

// Finds the handler of a request.
// Threads: all functions from any thread at once.
class Router {
 public:
  // `refusals` outlives it.
  Router(std::vector<Route> routes, ApiKeys keys, CorsOptions cors, Refusals& refusals)
      : routes_(std::move(routes)),
        keys_(std::move(keys)),
        cors_(std::move(cors)),
        refusals_(refusals) {}

  // What can be said before the body has come. In this order: a preflight (OPTIONS) is answered
  // 204; a path that is not known 404; a method it does not take 405, with Allow; a missing or
  // wrong key 401.
  HttpVerdict Screen(const HttpRequest& head) const;
  // Hands a request that Screen has no answer for to its handler.
  void Dispatch(HttpRequest request, HttpReply reply, double now_s) const;
  // The answer to a request that comes to no route: what the HTTP server refuses by itself.
  HttpResponse Refuse(const HttpRefusal& refusal) const;

 private:
  HttpHeaders AnswerHeaders(const HttpRequest& request, const std::string& id) const;
  HttpResponse Preflight(const HttpRequest& request) const;
  HttpResponse Refuse(const HttpRequest& request, const ApiError& error,
                      const HttpHeaders& more = {}) const;
  std::vector<const Route*> RoutesAt(std::string_view path) const;
  std::optional<size_t> KeyOf(const HttpRequest& request) const;
  ApiError NoSuchPath(const HttpRequest& head) const;

  std::vector<Route> routes_;
  ApiKeys keys_;
  CorsOptions cors_;
  Refusals& refusals_;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_ROUTER_H_
