#include "server/traceparent.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace fathom {
namespace {

constexpr size_t kLength = 55;  // "00-", 32 digits, "-", 16 digits, "-", 2 digits
constexpr size_t kMostLater = 256;

bool AllHex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsId(std::string_view text) {
  return AllHex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

bool IsTraceparent(std::string_view header) {
  if (header.size() < kLength || header.size() > kMostLater) return false;
  const std::string_view version = header.substr(0, 2);
  if (!AllHex(version) || version == "ff") return false;
  if (header.size() > kLength && (version == "00" || header[kLength] != '-')) return false;
  return header[2] == '-' && header[35] == '-' && header[52] == '-' && IsId(header.substr(3, 32)) &&
         IsId(header.substr(36, 16)) && AllHex(header.substr(53, 2));
}

}  // namespace fathom
