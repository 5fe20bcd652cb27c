#include "net/request_fault.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "net/http_message.h"

namespace fathom {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

bool IsPrintable(char c) { return c >= ' ' && c <= '~'; }

// A client's own words as a message may have them: short, and nothing that a terminal would obey.
std::string Shown(std::string_view text) {
  constexpr size_t kMost = 60;
  std::string out;
  for (const char c : text.substr(0, kMost)) {
    out += IsPrintable(c) ? std::string(1, c) : Format("\\x{:02x}", static_cast<uint8_t>(c));
  }
  return text.size() > kMost ? out + "..." : out;
}

RequestFault Bad(std::string message) { return {400, std::move(message)}; }

std::string_view WithoutSpaces(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Takes the line break off; false when it is not CR LF.
bool TakeLineBreak(std::string_view& line) {
  if (!line.ends_with("\r\n")) return false;
  line.remove_suffix(2);
  return true;
}

RequestFault LineBreakFault(std::string_view what, std::string_view line) {
  return Bad(Format("the {} line '{}' does not end in CR LF", what,
                    Shown(line.substr(0, line.find_last_not_of('\n') + 1))));
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

// "%2F", but not "%00".
bool IsEscape(std::string_view text) {
  return text.size() == 3 && text != "%00" &&
         text.substr(1).find_first_not_of(kHexDigits) == std::string_view::npos;
}

RequestFault VersionFault(std::string_view version) {
  const bool well_formed = version.size() == 8 && version.starts_with("HTTP/") &&
                           IsNumber(version.substr(5, 1)) && version[6] == '.' &&
                           IsNumber(version.substr(7));
  if (well_formed) {
    return {505, Format("the request is in {}; this server speaks HTTP/1.1 and HTTP/1.0", version)};
  }
  const bool spaced = version.find(' ') != std::string_view::npos;
  return Bad(Format("the request line ends in '{}', expected HTTP/1.1 or HTTP/1.0{}",
                    Shown(version), spaced ? "; write a space of the target as %20" : ""));
}

RequestFault ContentLengthFault(std::string_view value, const HttpHeaders& before, int64_t most) {
  if (const auto coding = before.Find("Transfer-Encoding")) {
    return Bad(
        Format("Content-Length: {} and Transfer-Encoding: {} stand together; "
               "send one of them",
               Shown(value), Shown(*coding)));
  }
  // Only what 64 bits do not hold is refused of a single number.
  const auto other = before.Find("Content-Length");
  if (IsNumber(value) && !other) return BodyTooLong(value, most);
  if (IsNumber(value)) {
    return Bad(
        Format("Content-Length stands twice, as {} and {}; send one", Shown(*other), Shown(value)));
  }
  return Bad(Format("Content-Length is '{}', expected a number of bytes", Shown(value)));
}

RequestFault TransferEncodingFault(std::string_view value, const HttpHeaders& before) {
  if (const auto length = before.Find("Content-Length")) {
    return Bad(
        Format("Transfer-Encoding: {} and Content-Length: {} stand together; "
               "send one of them",
               Shown(value), Shown(*length)));
  }
  return Bad(
      Format("Transfer-Encoding stands twice, the second time as '{}'; send one", Shown(value)));
}

std::vector<std::string_view> ValuesOf(const HttpRequest& request, std::string_view name) {
  std::vector<std::string_view> values;
  for (const HttpHeader& header : request.headers) {
    if (SameHeaderName(header.name, name)) values.emplace_back(header.value);
  }
  return values;
}

// RFC 9112, section 3.2: exactly one. The empty one stands for no host.
std::optional<RequestFault> HostFault(const HttpRequest& request, bool http10) {
  const auto hosts = ValuesOf(request, "Host");
  if (hosts.size() > 1) {
    return Bad(Format("the header Host stands {} times, first as '{}' and '{}'; send one",
                      hosts.size(), Shown(hosts[0]), Shown(hosts[1])));
  }
  if (!hosts.empty() || http10) return std::nullopt;
  return Bad("the request has no Host header, which HTTP/1.1 demands; send Host: NAME:PORT");
}

// Of two it would be open which one counts. Neither is shown: it may be a key.
std::optional<RequestFault> AuthorizationFault(const HttpRequest& request) {
  const size_t count = ValuesOf(request, "Authorization").size();
  if (count < 2) return std::nullopt;
  return Bad(Format("the header Authorization stands {} times; send one", count));
}

}  // namespace

bool IsTokenChar(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOthers.find(c) != std::string_view::npos;
}

RequestFault StartLineFault(std::string_view line) {
  // Nobody who sends something else can be waited for: the line may never end.
  if (line.empty() || !IsTokenChar(line[0])) {
    const bool tls = line.starts_with('\x16');  // the first record of a handshake
    return Bad(Format("the request begins with '{}', expected a method such as GET{}",
                      Shown(line.substr(0, 1)),
                      tls ? " (is this TLS, sent to a plain port?)" : ""));
  }
  if (!TakeLineBreak(line)) return LineBreakFault("request", line);
  const size_t method_end = std::min(line.find(' '), line.size());
  const std::string_view method = line.substr(0, method_end);
  const auto wrong = std::ranges::find_if_not(method, IsTokenChar);
  if (wrong != method.end()) {
    return Bad(Format("the method '{}' holds '{}', which no method may", Shown(method),
                      Shown(std::string_view(&*wrong, 1))));
  }
  const size_t target_end = line.find(' ', method_end + 1);
  if (method_end == line.size() || target_end == std::string_view::npos) {
    return Bad(Format("the request line is '{}', expected METHOD TARGET HTTP/1.1", Shown(line)));
  }
  const std::string_view target = line.substr(method_end + 1, target_end - method_end - 1);
  if (target.empty() || !std::ranges::all_of(target, IsPrintable)) {
    return Bad(Format("the target is '{}', expected a path in percent-encoding", Shown(target)));
  }
  return VersionFault(line.substr(target_end + 1));
}

RequestFault TargetFault(std::string_view target) {
  if (!target.starts_with('/') && target.find("://") == std::string_view::npos) {
    return Bad(Format("the target is '{}', expected a path that begins with /", Shown(target)));
  }
  size_t at = target.find('%');
  while (at != std::string_view::npos && IsEscape(target.substr(at, 3)))
    at = target.find('%', at + 1);
  const std::string_view escape = at < target.size() ? target.substr(at, 3) : "";
  return Bad(Format("the target '{}' holds the escape '{}', which stands for no character",
                    Shown(target), Shown(escape)));
}

RequestFault HeaderLineFault(std::string_view line, const HttpHeaders& before,
                             int64_t most_body_bytes) {
  if (!TakeLineBreak(line)) return LineBreakFault("header", line);
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    return Bad(Format("the header line '{}' has no colon, expected NAME: VALUE", Shown(line)));
  }
  const std::string_view name = line.substr(0, colon);
  const auto wrong = std::ranges::find_if_not(name, IsTokenChar);
  if (name.empty() || wrong != name.end()) {
    return Bad(Format("the header name '{}' {}", Shown(name),
                      name.empty() ? "is empty"
                                   : Format("holds '{}', which no name may",
                                            Shown(std::string_view(&*wrong, 1)))));
  }
  const std::string_view value = WithoutSpaces(line.substr(colon + 1));
  if (SameHeaderName(name, "Content-Length")) {
    return ContentLengthFault(value, before, most_body_bytes);
  }
  if (SameHeaderName(name, "Transfer-Encoding")) return TransferEncodingFault(value, before);
  return Bad(Format("the header {} has the invalid value '{}'", Shown(name), Shown(value)));
}

RequestFault ChunkLineFault(std::string_view text, bool bad_extension, int64_t most_body_bytes) {
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  const std::string_view digits = line.substr(0, line.find_first_not_of(kHexDigits));
  if (digits.empty()) {
    return Bad(
        Format("a chunk of the body begins with '{}', "
               "expected its length in hexadecimal digits",
               Shown(line)));
  }
  if (digits.size() > 16) return BodyTooLong(Format("0x{}", digits), most_body_bytes);
  if (!text.substr(line.size()).starts_with("\r\n")) {
    return Bad(
        Format("the first line '{}' of a chunk of the body does not end in CR LF", Shown(line)));
  }
  if (bad_extension) {
    return Bad(Format("a chunk of the body begins with '{}', expected its length and ;NAME=VALUE",
                      Shown(line)));
  }
  return Bad("the trailer behind the body's last chunk has a line that is no header");
}

RequestFault BodyTooLong(std::string_view bytes, int64_t most) {
  return {413, Format("the body has {} bytes, and at most {} are allowed; send less at once",
                      Shown(bytes), most)};
}

std::optional<RequestFault> HeaderFault(const HttpRequest& request, bool http10) {
  if (auto fault = HostFault(request, http10)) return fault;
  if (auto fault = AuthorizationFault(request)) return fault;
  const auto packed = request.Header("Content-Encoding");
  if (packed && !packed->empty() && !SameHeaderName(*packed, "identity")) {
    return RequestFault{415, Format("the body is sent with Content-Encoding: {}; send it plain, "
                                    "without that header",
                                    Shown(*packed))};
  }
  const auto coding = request.Header("Transfer-Encoding");
  if (coding && !SameHeaderName(*coding, "chunked")) {
    return RequestFault{501, Format("the body is sent with Transfer-Encoding: {}; "
                                    "only chunked is known",
                                    Shown(*coding))};
  }
  const auto expected = request.Header("Expect");
  if (expected && !SameHeaderName(*expected, "100-continue")) {
    return RequestFault{417,
                        Format("Expect is '{}'; only 100-continue can be met", Shown(*expected))};
  }
  return std::nullopt;
}

}  // namespace fathom
