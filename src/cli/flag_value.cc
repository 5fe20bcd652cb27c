#include "cli/flag_value.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/format.h"

namespace fathom {
namespace {

template <typename T>
std::optional<std::string> ReadInteger(std::string_view flag, std::string_view text, T& field) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), field);
  const bool whole = end == text.data() + text.size();
  if (whole && error == std::errc()) return std::nullopt;
  if (!whole || error != std::errc::result_out_of_range) {
    return Format("{}: '{}' is not a whole number", flag, text);
  }
  return Format("{}: {} is outside of {} to {}", flag, text, std::numeric_limits<T>::min(),
                std::numeric_limits<T>::max());
}

}  // namespace

std::optional<std::string> ReadFlag(std::string_view /*flag*/, const std::string& text,
                                    std::string& field) {
  field = text;
  return std::nullopt;
}

std::optional<std::string> ReadFlag(std::string_view flag, const std::string& text, int& field) {
  return ReadInteger(flag, text, field);
}

std::optional<std::string> ReadFlag(std::string_view flag, const std::string& text,
                                    int64_t& field) {
  return ReadInteger(flag, text, field);
}

std::optional<std::string> ReadFlag(std::string_view flag, const std::string& text, double& field) {
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, field);
  if (end == last && error == std::errc() && std::isfinite(field)) return std::nullopt;
  const bool too_large = end == last && error == std::errc::result_out_of_range;
  return Format("{}: '{}' is {}", flag, text, too_large ? "too large a number" : "not a number");
}

}  // namespace fathom
