#ifndef FATHOM_NET_URL_H_
#define FATHOM_NET_URL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fathom {

// "%41+b" -> "A+b"; none where a '%' is not followed by two hexadecimal digits, or for "%00".
std::optional<std::string> PercentDecoded(std::string_view text);

// A request's target in two parts: "/v1/models/a%20b?x=1" -> "/v1/models/a b", "x=1". Also takes
// the form proxies are sent, "http://host/path"; the host is dropped. None where it is no target.
struct RequestTarget {
  std::string path;
  std::string query;
};
std::optional<RequestTarget> ParseTarget(std::string_view target);

// Scheme, host and port of "http://127.0.0.1:8000/v1": port 80 or 443 where none is given.
struct Url {
  bool tls = false;
  std::string host;  // IPv6 addresses without their brackets
  uint16_t port = 0;
  std::string path;  // "/v1"; empty where there is none

  // "http://127.0.0.1:8000", without the path.
  std::string origin() const;
};
// Errors (kBadInput) name the url.
Result<Url> ParseUrl(std::string_view url);

// "10.0.0.7:8000", "[::1]:8000".
std::string HostAndPort(std::string_view host, uint16_t port);

}  // namespace fathom

#endif  // FATHOM_NET_URL_H_
