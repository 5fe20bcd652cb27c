#ifndef FATHOM_NET_SSE_TESTING_H_
#define FATHOM_NET_SSE_TESTING_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace fathom {

// "data: <data>\n\n". Each line of the data, whatever its end, becomes a line of its own.
inline std::string SseEvent(std::string_view data) {
  std::string text;
  text.reserve(data.size() + 8);
  while (true) {
    const size_t end = data.find_first_of("\r\n");
    text.append("data: ").append(data.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return text.append("\n");
}

}  // namespace fathom

#endif  // FATHOM_NET_SSE_TESTING_H_
