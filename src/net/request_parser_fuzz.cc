#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "net/http_message.h"
#include "net/request_parser.h"

namespace {

using fathom::RequestParser;

constexpr fathom::HttpRequestLimits kLimits = {.header_bytes = 512, .body_bytes = 256};

struct Outcome {
  std::vector<fathom::ParsedRequest> requests;
  int fault = 0;
};

// What comes out of `text`, fed in pieces of `piece` bytes.
Outcome Parse(std::string_view text, size_t piece) {
  RequestParser parser(kLimits);
  Outcome outcome;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    parser.Feed(text.substr(0, piece));
    while (true) {
      const RequestParser::Event event = parser.Next();
      FATHOM_CHECK(parser.body_bytes() <= kLimits.body_bytes);
      if (event == RequestParser::Event::kNeedMore) break;
      if (event == RequestParser::Event::kHeader) {
        FATHOM_CHECK(parser.head().body.empty());
      } else if (event == RequestParser::Event::kContinue) {
        FATHOM_CHECK(parser.in_body());
      } else if (event == RequestParser::Event::kRequest) {
        outcome.requests.push_back(parser.Take());
      } else {
        outcome.fault = parser.fault().status;
        FATHOM_CHECK(!parser.fault().message.empty() && parser.unread_bytes() == 0);
        return outcome;
      }
    }
    // What is not understood yet is a part of a header, whose size is limited.
    FATHOM_CHECK(parser.unread_bytes() < static_cast<size_t>(kLimits.header_bytes));
  }
  FATHOM_CHECK(parser.GiveUp().body.empty() && parser.body_bytes() == 0);
  return outcome;
}

void CheckRequest(const fathom::HttpRequest& request) {
  size_t bytes = request.method.size() + request.path.size() + request.query.size();
  for (const fathom::HttpHeader& header : request.headers) {
    bytes += header.name.size() + header.value.size();
    FATHOM_CHECK((header.name + header.value).find_first_of("\r\n") == std::string::npos);
  }
  FATHOM_CHECK(bytes <= static_cast<size_t>(kLimits.header_bytes));
  FATHOM_CHECK(!request.method.empty() && (request.path == "*" || request.path[0] == '/'));
}

}  // namespace

// Checks what net/request_parser.h promises: the limits hold, and which bytes come in one Feed
// makes no difference to the requests that come out.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Outcome whole = Parse(text, size + 1);
  for (const size_t piece : {size_t{1}, size_t{7}}) {
    const Outcome parts = Parse(text, piece);
    FATHOM_CHECK(parts.requests.size() == whole.requests.size());
    for (size_t i = 0; i < parts.requests.size(); ++i) {
      const fathom::HttpRequest& request = whole.requests[i].request;
      FATHOM_CHECK(parts.requests[i].request.body == request.body);
      FATHOM_CHECK(parts.requests[i].request.path == request.path);
      FATHOM_CHECK(parts.requests[i].request.headers.size() == request.headers.size());
      CheckRequest(request);
    }
  }
  return 0;
}
