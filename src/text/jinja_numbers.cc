#include "text/jinja_numbers.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_error.h"
#include "text/jinja_print.h"
#include "text/jinja_strings.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"
#include "text/unicode_letters.h"
#include "text/utf8.h"

namespace fathom::jinja {
namespace {

bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

// The text without space around it and with digits of 0 to 9 only.
std::string WithAsciiDigits(std::string_view text) {
  const std::string stripped = Strip(MarkedText(text, false), Side::kBoth, std::nullopt).text();
  std::string out;
  for (size_t at = 0; at < stripped.size();) {
    const CodePoint character = DecodeUtf8(stripped, at);
    const auto digit = character.valid ? DecimalDigit(character.value) : std::nullopt;
    if (digit.has_value()) {
      out += static_cast<char>('0' + *digit);
    } else {
      out += std::string_view(stripped).substr(at, character.length);
    }
    at += character.length;
  }
  return out;
}

// Takes out the underscores; nullopt if one does not stand between two digits.
std::optional<std::string> WithoutUnderscores(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '_') {
      out += text[at];
    } else if (at == 0 || at + 1 == text.size() || !IsAsciiDigit(text[at - 1]) ||
               !IsAsciiDigit(text[at + 1])) {
      return std::nullopt;
    }
  }
  return out;
}

// In the form that std::from_chars reads, which knows no "+"; nullopt if it cannot be a number.
std::optional<std::string> Plain(std::string_view text) {
  std::optional<std::string> plain = WithoutUnderscores(WithAsciiDigits(text));
  if (!plain.has_value() || !plain->starts_with('+')) return plain;
  plain->erase(0, 1);
  return plain->starts_with('-') ? std::nullopt : plain;
}

Error Outside(std::string_view number) {
  return TemplateError(Format("int: {} is outside of 64 bits", number));
}

}  // namespace

Result<std::optional<Value>> ParseInteger(std::string_view text) {
  const std::optional<std::string> plain = Plain(text);
  if (!plain.has_value()) return std::optional<Value>();
  int64_t whole = 0;
  const char* end = plain->data() + plain->size();
  const auto parsed = std::from_chars(plain->data(), end, whole);
  if (parsed.ptr != end || parsed.ec == std::errc::invalid_argument) return std::optional<Value>();
  if (parsed.ec != std::errc()) return Outside(*plain);
  return std::optional(Value::Int(whole));
}

std::optional<double> ParseFloat(std::string_view text) {
  const std::optional<std::string> plain = Plain(text);
  // C also reads "nan(...)".
  if (!plain.has_value() || plain->ends_with(')')) return std::nullopt;
  double value = 0;
  const char* end = plain->data() + plain->size();
  const auto parsed = std::from_chars(plain->data(), end, value);
  if (parsed.ptr != end || parsed.ec == std::errc::invalid_argument) return std::nullopt;
  // What no double holds becomes infinity or 0, as in Python; from_chars does not say which.
  if (parsed.ec != std::errc()) return std::strtod(plain->c_str(), nullptr);
  return value;
}

Result<std::optional<Value>> Truncate(double number) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (std::isnan(number)) return std::optional<Value>();
  if (!(number >= -kLimit && number < kLimit)) return Outside(FloatText(number));
  return std::optional(Value::Int(static_cast<int64_t>(number)));
}

}  // namespace fathom::jinja
