#ifndef FATHOM_NET_SSE_H_
#define FATHOM_NET_SSE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fathom {

// Server-sent events, as the HTML standard has them (section 9.2).

struct SseMessage {
  std::string event;  // empty: "message"
  std::string data;   // its lines joined by "\n"
  std::string id;     // of this event alone; the standard's memory of the last one is the caller's
};

// Cuts a stream into events, which end at an empty line; lines end in "\n", "\r\n" or "\r".
// Comments and events without data are left out, and what follows the last empty line is no event.
// Which bytes come in one Feed makes no difference.
class SseParser {
 public:
  explicit SseParser(int64_t max_event_bytes = 16 << 20) : max_event_bytes_(max_event_bytes) {}

  // Calls `on_event` for each event that these bytes complete. Errors (kFailed): one is larger than
  // max_event_bytes; nothing can be fed after it.
  Status Feed(std::string_view bytes, const std::function<void(const SseMessage&)>& on_event);

 private:
  void EndLine(const std::function<void(const SseMessage&)>& on_event);
  void TakeField(std::string_view name, std::string_view value);

  int64_t max_event_bytes_;
  std::string line_;
  SseMessage message_;
  bool has_data_ = false;
  bool after_cr_ = false;   // a "\n" that comes now belongs to the line end before
  bool first_line_ = true;  // it may begin with a byte order mark
};

}  // namespace fathom

#endif  // FATHOM_NET_SSE_H_
