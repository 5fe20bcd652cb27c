#include "api/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "text/utf8.h"

namespace fathom {
namespace {

bool IsPlain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void AppendEscaped(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\u00";
  out += kDigits[static_cast<unsigned char>(c) >> 4U];
  out += kDigits[static_cast<unsigned char>(c) & 0xFU];
}

void AppendValid(std::string_view text, std::string& out) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t run = at;
    while (at < text.size() && IsPlain(text[at])) ++at;
    out.append(text, run, at - run);
    if (at < text.size()) AppendEscaped(text[at++], out);
  }
}

template <typename Number>
void AppendNumber(Number number, std::string& out) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), number);
  out.append(digits, end);
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  if (IsAscii(text) || ValidUtf8Prefix(text) == text.size()) {
    AppendValid(text, out);
  } else {
    AppendValid(ReplaceInvalidUtf8(text), out);
  }
  out += '"';
}

void AppendJsonInt(int64_t number, std::string& out) { AppendNumber(number, out); }

void AppendJsonNumber(double number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  AppendNumber(number, out);
}

void AppendJsonInts(std::span<const int32_t> numbers, std::string& out) {
  out += '[';
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ',';
    AppendNumber(numbers[i], out);
  }
  out += ']';
}

}  // namespace fathom
