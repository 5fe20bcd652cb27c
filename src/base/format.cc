#include "base/format.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"

namespace fathom {
namespace internal {

std::string FormatArgs(std::string_view pattern, const FormatArg* args, int count) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (int i = 0; i < count; ++i) {
    const FormatArg& arg = args[i];
    switch (arg.kind) {
      case FormatArg::Kind::kInt:
        store.push_back(arg.int_value);
        break;
      case FormatArg::Kind::kUint:
        store.push_back(arg.uint_value);
        break;
      case FormatArg::Kind::kDouble:
        store.push_back(arg.double_value);
        break;
      case FormatArg::Kind::kBool:
        store.push_back(arg.uint_value != 0);
        break;
      case FormatArg::Kind::kText:
        store.push_back(arg.text);
        break;
    }
  }
  try {
    return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), store);
  } catch (const fmt::format_error&) {
    CheckFailed(std::string(pattern).c_str(), "format pattern", 0);
  }
}

}  // namespace internal

std::string WithCommas(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string HumanBytes(int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024 && bytes > -1024) return Format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (std::abs(value) >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return Format("{:.1f} {}", value, kUnits[unit]);
}

std::string Shortened(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80) --most;
  return std::string(text.substr(0, most)) + "...";
}

}  // namespace fathom
