#include "net/url.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Error BadUrl(std::string_view url, std::string_view why) {
  return BadInput(Format("cannot use the URL '{}': {}", url, why), "",
                  "write it like http://127.0.0.1:8000 or https://host.example");
}

std::optional<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

// Cuts the host off the front of `rest`, brackets taken away; none where a bracket is left open.
std::optional<std::string> TakeHost(std::string_view& rest) {
  if (!rest.starts_with('[')) {
    const std::string host(rest.substr(0, rest.find(':')));
    rest.remove_prefix(host.size());
    return host;
  }
  const size_t close = rest.find(']');
  if (close == std::string_view::npos) return std::nullopt;
  std::string host(rest.substr(1, close - 1));
  rest.remove_prefix(close + 1);
  return host;
}

}  // namespace

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::optional<RequestTarget> ParseTarget(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const size_t path = target.find_first_of("/?", scheme.size());
    target = path == std::string_view::npos ? "/" : target.substr(path);
  }
  const size_t mark = target.find('?');
  auto path = PercentDecoded(target.substr(0, mark));
  if (!path.has_value()) return std::nullopt;
  if (path->empty()) path = "/";
  if (*path != "*" && !path->starts_with('/')) return std::nullopt;
  const bool has_query = mark != std::string_view::npos;
  return RequestTarget{*std::move(path), std::string(has_query ? target.substr(mark + 1) : "")};
}

std::string HostAndPort(std::string_view host, uint16_t port) {
  const bool ipv6 = host.find(':') != std::string_view::npos;
  return Format(ipv6 ? "[{}]:{}" : "{}:{}", host, port);
}

std::string Url::origin() const { return (tls ? "https://" : "http://") + HostAndPort(host, port); }

Result<Url> ParseUrl(std::string_view url) {
  Url parsed;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    parsed.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return BadUrl(url, "it does not begin with http:// or https://");
  }
  std::string_view authority = rest.substr(0, rest.find('/'));
  parsed.path = rest.substr(authority.size());
  const auto host = TakeHost(authority);
  if (!host.has_value() || host->empty()) return BadUrl(url, "it names no host");
  parsed.host = *host;
  parsed.port = parsed.tls ? 443 : 80;
  if (authority.empty()) return parsed;
  const auto port = authority[0] == ':' ? ParsePort(authority.substr(1)) : std::nullopt;
  if (!port.has_value()) return BadUrl(url, "after the host comes no port from 1 to 65535");
  parsed.port = *port;
  return parsed;
}

}  // namespace fathom
