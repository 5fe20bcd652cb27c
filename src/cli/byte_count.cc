#include "cli/byte_count.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace fathom {

std::optional<int64_t> ParseByteCount(std::string_view text) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  std::string unit(end, last);
  for (char& c : unit) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (unit.ends_with("ib")) {
    unit.resize(unit.size() - 2);
    if (unit.empty()) return std::nullopt;
  } else if (unit.ends_with('b')) {
    unit.pop_back();
  }
  if (unit.size() > 1) return std::nullopt;
  const size_t power = unit.empty() ? 0 : std::string_view("kmgt").find(unit) + 1;
  if (!unit.empty() && power == 0) return std::nullopt;
  const double bytes = std::floor(std::ldexp(number, static_cast<int>(10 * power)));
  if (!(bytes >= 1) || bytes >= 0x1p63) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

}  // namespace fathom
