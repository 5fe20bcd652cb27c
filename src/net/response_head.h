#ifndef FATHOM_NET_RESPONSE_HEAD_H_
#define FATHOM_NET_RESPONSE_HEAD_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "net/http_message.h"

namespace fathom {

// What the bytes of an answer depend on beside its content.
struct ResponseManner {
  bool head_request = false;  // no body, whatever the headers say of it
  bool http10 = false;        // no chunks; keep-alive is not a matter of course
  bool keep_alive = true;     // the connection stays open afterwards
};

// How the client finds the end of the body.
enum class BodyEnd {
  kNone,    // 1xx, 204, 304: there is no body, and no Content-Length either
  kLength,  // Content-Length
  kChunks,  // chunked coding
  kClose,   // the end of the connection; only where !keep_alive
};

// Appends status line, headers and the empty line. `length` counts for kLength. `now` is for Date.
void AppendResponseHead(std::string& out, const HttpResponse& response,
                        const ResponseManner& manner, BodyEnd end, size_t length,
                        std::chrono::sys_seconds now);

// Appends `bytes` as one chunk; not for an empty one, which would end the body.
void AppendChunk(std::string& out, std::string_view bytes);

inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// True for the statuses that have no body: 1xx, 204, 304.
bool HasNoBody(int status);

}  // namespace fathom

#endif  // FATHOM_NET_RESPONSE_HEAD_H_
