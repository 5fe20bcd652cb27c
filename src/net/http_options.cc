#include "net/http_options.h"

#include <cstdint>
#include <optional>

namespace fathom {

std::optional<HttpOptionFault> FindOptionFault(const HttpServerOptions& options) {
  constexpr int64_t kGiB = int64_t{1} << 30;
  constexpr int64_t kDayMs = 86'400'000;
  const HttpOptionFault ranges[] = {
      {"port", options.port, 0, 65535},
      {"network_threads", options.network_threads, 1, 64},
      {"max_connections", options.max_connections, 1, 1'000'000},
      {"max_header_bytes", options.max_header_bytes, 256, 16 << 20},
      {"max_body_bytes", options.max_body_bytes, 1, 4 * kGiB},
      {"max_total_body_bytes", options.max_total_body_bytes, 1, 1024 * kGiB},
      {"header_timeout_ms", options.header_timeout_ms, 1, kDayMs},
      {"body_timeout_ms", options.body_timeout_ms, 1, kDayMs},
      {"min_body_bytes_per_s", options.min_body_bytes_per_s, 1, kGiB},
      {"idle_timeout_ms", options.idle_timeout_ms, 1, kDayMs},
      {"write_timeout_ms", options.write_timeout_ms, 1, kDayMs},
      {"write_buffer_bytes", options.write_buffer_bytes, 1, kGiB},
  };
  for (const HttpOptionFault& range : ranges) {
    if (range.value < range.low || range.value > range.high) return range;
  }
  return std::nullopt;
}

}  // namespace fathom
