#ifndef FATHOM_SERVER_ROUTER_H_
#define FATHOM_SERVER_ROUTER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "server/api_keys.h"

namespace fathom {

// A request that found its route, and what its answer needs.
struct RoutedRequest {
  HttpRequest request;
  HttpReply reply;
  HttpHeaders headers;    // of every answer: request id, CORS
  std::string id;         // from X-Request-Id, or made up
  std::string trace;      // W3C traceparent as sent, or ""
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
  bool open = false;        // needs no key
  RouteHandler handle;
};

// What answers carry for clients in a browser (https://fetch.spec.whatwg.org/#http-cors-protocol).
struct CorsOptions {
  std::vector<std::string> allowed_origins;  // "*": any; none: no CORS headers
};

// Finds the handler of a request. In this order: a preflight (OPTIONS) is answered 204; a path that
// is not known 404; a method it does not take 405, with Allow; a missing or wrong key 401.
// Threads: Dispatch from any thread at once.
class Router {
 public:
  Router(std::vector<Route> routes, ApiKeys keys, CorsOptions cors)
      : routes_(std::move(routes)), keys_(std::move(keys)), cors_(std::move(cors)) {}

  void Dispatch(HttpRequest request, HttpReply reply, double now_s) const;

 private:
  HttpHeaders AnswerHeaders(const HttpRequest& request, const std::string& id) const;
  void Preflight(const RoutedRequest& routed) const;

  std::vector<Route> routes_;
  ApiKeys keys_;
  CorsOptions cors_;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_ROUTER_H_
