#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/response_parser.h"

namespace {

constexpr fathom::ResponseParser::Limits kLimits = {.header_bytes = 512, .body_bytes = 256};

struct Outcome {
  bool done = false;
  int status = 0;
  std::string body;
};

Outcome Parse(std::string_view text, size_t piece) {
  fathom::ResponseParser parser(false, kLimits);
  Outcome outcome;
  while (!parser.done()) {
    const std::string_view bytes = text.substr(0, piece);
    text.remove_prefix(bytes.size());
    if (!(bytes.empty() ? parser.End() : parser.Feed(bytes)).ok()) return {};
    if (parser.header_done()) outcome.body += parser.TakeBody();
    FATHOM_CHECK(outcome.body.size() <= static_cast<size_t>(kLimits.body_bytes));
  }
  outcome.done = true;
  outcome.status = parser.head().status;
  return outcome;
}

}  // namespace

// Checks what net/response_parser.h promises: which bytes come in one Feed makes no difference to
// the whole, and the body stays within its limit.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Outcome whole = Parse(text, size + 1);
  for (const size_t piece : {size_t{1}, size_t{7}}) {
    const Outcome parts = Parse(text, piece);
    FATHOM_CHECK(parts.done == whole.done && parts.status == whole.status);
    FATHOM_CHECK(parts.body == whole.body);
  }
  return 0;
}
