#include "api/response_testing.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json.h"

namespace fathom {

std::vector<std::string> PayloadsOrDie(std::string_view stream) {
  constexpr std::string_view kBegin = "data: ";
  std::vector<std::string> payloads;
  while (!stream.empty()) {
    const size_t end = stream.find("\n\n");
    FATHOM_CHECK(stream.starts_with(kBegin) && end != std::string_view::npos);
    const std::string_view payload = stream.substr(kBegin.size(), end - kBegin.size());
    FATHOM_CHECK(payload.find('\n') == std::string_view::npos);
    FATHOM_CHECK(ParseJson(payload, "event").ok());
    payloads.emplace_back(payload);
    stream.remove_prefix(end + 2);
  }
  return payloads;
}

}  // namespace fathom
