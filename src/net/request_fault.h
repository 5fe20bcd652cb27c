#ifndef FATHOM_NET_REQUEST_FAULT_H_
#define FATHOM_NET_REQUEST_FAULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.h"

namespace fathom {

// Why bytes are no request: what the client is answered before it is disconnected. The message
// names one cause and the value that was met, in printable ASCII.
struct RequestFault {
  int status = 400;
  std::string message;
};

// May stand in a method and in a header's name (RFC 9110, section 5.6.2).
bool IsTokenChar(char c);

// What is wrong with a line that the parser refused, each with its line break: the first line of a
// request, its target, a later one with the headers before it.
RequestFault StartLineFault(std::string_view line);
RequestFault TargetFault(std::string_view target);
RequestFault HeaderLineFault(std::string_view line, const HttpHeaders& before,
                             int64_t most_body_bytes);
// The same of a chunk, of which `text` begins with the first line: what is wrong with it, its
// extension (bad_extension) or the trailer behind the last chunk.
RequestFault ChunkLineFault(std::string_view text, bool bad_extension, int64_t most_body_bytes);

// 413. `bytes` is what the body's length was said to be, as it was written.
RequestFault BodyTooLong(std::string_view bytes, int64_t most);

// What is refused of a header whose every line is well formed; none: nothing.
std::optional<RequestFault> HeaderFault(const HttpRequest& request, bool http10);

}  // namespace fathom

#endif  // FATHOM_NET_REQUEST_FAULT_H_
