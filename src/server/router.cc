#include "server/router.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "base/check.h"
#include "base/format.h"
#include "base/suggest.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/http_server.h"
#include "server/api_keys.h"
#include "server/refusals.h"
#include "server/trace_parent.h"

namespace fathom {
namespace {

constexpr size_t kLongestClientId = 128;

// Of a body where none is of any use; some clients send one all the same.
constexpr int64_t kUnusedBodyBytes = 64 << 10;

// 96 random bits: answers of several servers may meet in one log.
std::string MakeId() {
  thread_local std::mt19937_64 random{std::random_device()()};
  return Format("{:016x}{:08x}", random(), random() & 0xffffffffU);
}

// The same for all connections of one host.
uint64_t HostNumber(std::string_view peer) {
  return std::hash<std::string_view>()(peer.substr(0, peer.rfind(':')));
}

std::string IdOf(const HttpRequest& request) {
  const auto given = request.Header("X-Request-Id");
  if (given && !given->empty() && given->size() <= kLongestClientId) return std::string(*given);
  return MakeId();
}

bool Matches(const Route& route, std::string_view path) {
  return route.path.ends_with('/') ? path.starts_with(route.path) && path.size() > route.path.size()
                                   : path == route.path;
}

bool Takes(const Route& route, std::string_view method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

// Which of the routes at a path takes the method; null when none does.
const Route* Taker(const std::vector<const Route*>& routes, std::string_view method) {
  const auto taker =
      std::ranges::find_if(routes, [&](const Route* route) { return Takes(*route, method); });
  return taker == routes.end() ? nullptr : *taker;
}

std::string AllowedMethods(const std::vector<const Route*>& routes) {
  std::string allowed;
  for (const Route* route : routes) {
    if (!allowed.empty()) allowed += ", ";
    allowed += route->method == "GET" ? "GET, HEAD" : route->method;
  }
  return allowed + ", OPTIONS";
}

}  // namespace

void RoutedRequest::SendJson(int status, std::string body) const {
  reply.Send({status, headers, std::move(body), "application/json"});
}

void RoutedRequest::SendError(const ApiError& error) const {
  reply.Send(ErrorResponse(error, headers));
}

HttpResponse ErrorResponse(const ApiError& error, HttpHeaders headers) {
  if (error.retry_after_seconds > 0) {
    headers.Add("Retry-After", Format("{}", error.retry_after_seconds));
  }
  return {error.status, std::move(headers), error.Body(), "application/json"};
}

void Router::Dispatch(HttpRequest request, HttpReply reply, double now_s) const {
  std::string id = IdOf(request);
  HttpHeaders headers = AnswerHeaders(request, id);
  RoutedRequest routed{.request = std::move(request),
                       .reply = std::move(reply),
                       .headers = std::move(headers),
                       .id = std::move(id),
                       .trace = "",
                       .path_rest = "",
                       .arrived_s = now_s};
  const HttpRequest& asked = routed.request;
  const auto trace = asked.Header("traceparent");
  if (trace && IsTraceParent(*trace)) routed.trace = *trace;
  const Route* route = Taker(RoutesAt(asked.path), asked.method);
  FATHOM_CHECK(route != nullptr);
  const auto key = KeyOf(asked);
  routed.client = key ? *key + 1 : HostNumber(asked.peer);
  if (route->path.ends_with('/')) routed.path_rest = asked.path.substr(route->path.size());
  route->handle(std::move(routed));
}

HttpVerdict Router::Screen(const HttpRequest& head) const {
  if (head.method == "OPTIONS") return {.answer = Preflight(head)};
  const std::vector<const Route*> found = RoutesAt(head.path);
  if (found.empty()) return {.answer = Refuse(head, NoSuchPath(head))};
  const Route* route = Taker(found, head.method);
  if (route == nullptr) {
    const std::string allowed = AllowedMethods(found);
    return {.answer = Refuse(head, MethodNotAllowed(head.method, head.path, allowed),
                             {{"Allow", allowed}})};
  }
  if (!route->access.open && keys_.required() && !KeyOf(head)) {
    return {.answer = Refuse(head, WrongKey(), {{"WWW-Authenticate", "Bearer"}})};
  }
  HttpVerdict verdict{.vital = route->access.vital};
  if (verdict.vital || route->method == "GET") verdict.max_body_bytes = kUnusedBodyBytes;
  return verdict;
}

std::vector<const Route*> Router::RoutesAt(std::string_view path) const {
  std::vector<const Route*> found;
  for (const Route& route : routes_) {
    if (Matches(route, path)) found.push_back(&route);
  }
  return found;
}

std::optional<size_t> Router::KeyOf(const HttpRequest& request) const {
  return keys_.Find(request.Header("Authorization").value_or(""));
}

ApiError Router::NoSuchPath(const HttpRequest& head) const {
  std::vector<std::string_view> paths;
  for (const Route& route : routes_) {
    if (!route.path.ends_with('/')) paths.push_back(route.path);
  }
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return PathNotFound(head.method, head.path, Closest(head.path, paths), paths);
}

HttpResponse Router::Refuse(const HttpRefusal& refusal) const {
  return Refuse(refusal.request, HttpError(refusal.status, refusal.message));
}

HttpResponse Router::Refuse(const HttpRequest& request, const ApiError& error,
                            const HttpHeaders& more) const {
  const std::string id = IdOf(request);
  refusals_.Note(id, request, error);
  HttpHeaders headers = AnswerHeaders(request, id);
  for (const HttpHeader& header : more) headers.Add(header.name, header.value);
  return ErrorResponse(error, std::move(headers));
}

HttpHeaders Router::AnswerHeaders(const HttpRequest& request, const std::string& id) const {
  HttpHeaders headers{{"X-Request-Id", id}};
  const auto& allowed = cors_.allowed_origins;
  if (allowed.empty()) return headers;
  const bool any = std::ranges::find(allowed, "*") != allowed.end();
  // Also where no origin is let in: a cache may not give that answer to one that is.
  if (!any) headers.Add("Vary", "Origin");
  const auto origin = request.Header("Origin");
  if (!origin) return headers;
  if (!any && std::ranges::find(allowed, *origin) == allowed.end()) return headers;
  headers.Add("Access-Control-Allow-Origin", any ? "*" : std::string(*origin));
  headers.Add("Access-Control-Expose-Headers", "X-Request-Id, Retry-After");
  return headers;
}

HttpResponse Router::Preflight(const HttpRequest& request) const {
  HttpResponse response{204, AnswerHeaders(request, IdOf(request)), "", ""};
  if (!response.Header("Access-Control-Allow-Origin")) return response;
  response.headers.Add("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS");
  const auto asked = request.Header("Access-Control-Request-Headers");
  response.headers.Add("Access-Control-Allow-Headers",
                       std::string(asked.value_or("Authorization, Content-Type")));
  response.headers.Add("Access-Control-Max-Age", "86400");
  return response;
}

}  // namespace fathom
