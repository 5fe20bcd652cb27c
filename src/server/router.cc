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
#include "base/format.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/http_server.h"
#include "server/api_keys.h"
#include "server/refusals.h"
#include "server/trace_parent.h"

namespace fathom {
namespace {

constexpr size_t kLongestClientId = 128;

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
  if (asked.method == "OPTIONS") return Preflight(routed);
  std::vector<const Route*> found;
  for (const Route& route : routes_) {
    if (Matches(route, asked.path)) found.push_back(&route);
  }
  if (found.empty()) return Refuse(routed, PathNotFound(asked.method, asked.path));
  const auto taken =
      std::ranges::find_if(found, [&](const Route* route) { return Takes(*route, asked.method); });
  if (taken == found.end()) {
    const std::string allowed = AllowedMethods(found);
    routed.headers.Add("Allow", allowed);
    return Refuse(routed, MethodNotAllowed(asked.method, asked.path, allowed));
  }
  const Route& route = **taken;
  const auto key = keys_.Find(asked.Header("Authorization").value_or(""));
  routed.client = key ? *key + 1 : HostNumber(asked.peer);
  if (!route.open && keys_.required() && !key) {
    routed.headers.Add("WWW-Authenticate", "Bearer");
    return Refuse(routed, WrongKey());
  }
  if (route.path.ends_with('/')) routed.path_rest = asked.path.substr(route.path.size());
  route.handle(std::move(routed));
}

void Router::Refuse(const RoutedRequest& routed, const ApiError& error) const {
  refusals_.Note(routed.id, routed.request, error);
  routed.SendError(error);
}

HttpResponse Router::Refuse(const HttpRefusal& refusal) const {
  const std::string id = IdOf(refusal.request);
  const ApiError error = HttpError(refusal.status, refusal.message);
  refusals_.Note(id, refusal.request, error);
  return ErrorResponse(error, AnswerHeaders(refusal.request, id));
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

void Router::Preflight(const RoutedRequest& routed) const {
  HttpResponse response{204, routed.headers, "", ""};
  if (routed.headers.Find("Access-Control-Allow-Origin")) {
    response.headers.Add("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS");
    const auto asked = routed.request.Header("Access-Control-Request-Headers");
    response.headers.Add("Access-Control-Allow-Headers",
                         std::string(asked.value_or("Authorization, Content-Type")));
    response.headers.Add("Access-Control-Max-Age", "86400");
  }
  routed.reply.Send(response);
}

}  // namespace fathom
