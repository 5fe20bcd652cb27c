#include "text/jinja_string_literal.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_error.h"
#include "text/utf8.h"

namespace fathom::jinja {
namespace {

constexpr std::string_view kSimpleEscapes = "n\nt\tr\r\\\\''\"\"a\ab\bf\fv\v";  // pairs

// Digits of a \x, \u or \U; 0 for other letters.
size_t HexDigits(char letter) {
  if (letter == 'x') return 2;
  if (letter == 'u') return 4;
  return letter == 'U' ? 8 : 0;
}

// Appends the code point that `digits` name in that base.
Status AppendCodePoint(std::string_view digits, int base, size_t expected, std::string& out) {
  uint32_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value, base);
  const bool complete = digits.size() >= expected && parsed.ec == std::errc() && parsed.ptr == end;
  if (!complete || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return TemplateError(Format("\"\\{}\" in a string is not a character", digits));
  }
  AppendUtf8(value, out);
  return Ok();
}

size_t OctalEnd(std::string_view written, size_t at) {
  size_t end = at;
  while (end < written.size() && end < at + 3 && written[end] >= '0' && written[end] <= '7') ++end;
  return end;
}

// Resolves the escape whose letter is at `at`; returns where it ends.
Result<size_t> AppendEscape(std::string_view written, size_t at, std::string& out) {
  const char letter = written[at];
  if (letter == '\n') return at + 1;
  for (size_t i = 0; i < kSimpleEscapes.size(); i += 2) {
    if (kSimpleEscapes[i] != letter) continue;
    out += kSimpleEscapes[i + 1];
    return at + 1;
  }
  if (const size_t digits = HexDigits(letter); digits > 0) {
    FATHOM_OK(AppendCodePoint(written.substr(at + 1, digits), 16, digits, out));
    return at + 1 + digits;
  }
  if (const size_t end = OctalEnd(written, at); end > at) {
    FATHOM_OK(AppendCodePoint(written.substr(at, end - at), 8, 1, out));
    return end;
  }
  if (letter == 'N') return TemplateError("\"\\N\" in a string is not supported");
  out += {'\\', letter};
  return at + 1;
}

}  // namespace

Result<std::string> UnescapeString(std::string_view written) {
  std::string out;
  for (size_t at = 0; at < written.size();) {
    if (written[at] != '\\' || at + 1 == written.size()) {
      out += written[at++];
      continue;
    }
    FATHOM_TRY(at, AppendEscape(written, at + 1, out));
  }
  return out;
}

}  // namespace fathom::jinja
