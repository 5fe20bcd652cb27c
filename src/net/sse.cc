#include "net/sse.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kLineEnds = "\r\n";

}  // namespace

Status SseParser::Feed(std::string_view bytes,
                       const std::function<void(const SseMessage&)>& on_event) {
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes[0] == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const size_t end = bytes.find_first_of(kLineEnds);
    line_.append(bytes.substr(0, end));
    if (static_cast<int64_t>(line_.size() + message_.data.size()) > max_event_bytes_) {
      return Failed(Format("an event of the stream is larger than {} bytes", max_event_bytes_), "",
                    "check that the server sends server-sent events");
    }
    if (end == std::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    EndLine(on_event);
  }
  return Ok();
}

void SseParser::EndLine(const std::function<void(const SseMessage&)>& on_event) {
  std::string_view line = line_;
  if (std::exchange(first_line_, false) && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.empty()) {
    const SseMessage whole = std::exchange(message_, {});
    if (std::exchange(has_data_, false)) on_event(whole);
  } else if (const size_t colon = line.find(':'); colon != 0) {
    std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    TakeField(line.substr(0, colon), value);
  }
  line_.clear();
}

void SseParser::TakeField(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (std::exchange(has_data_, true)) message_.data += '\n';
    message_.data += value;
  } else if (name == "event") {
    message_.event = value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    message_.id = value;
  }
}

}  // namespace fathom
