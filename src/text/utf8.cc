#include "text/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

// A row of Unicode's table 3-7: lead bytes, the range of the second byte, bytes that follow.
struct LeadRow {
  uint8_t first, last;
  uint8_t second_low, second_high;
  uint8_t following;
};
constexpr LeadRow kLeadRows[] = {{0xC2, 0xDF, 0x80, 0xBF, 1}, {0xE0, 0xE0, 0xA0, 0xBF, 2},
                                 {0xE1, 0xEC, 0x80, 0xBF, 2}, {0xED, 0xED, 0x80, 0x9F, 2},
                                 {0xEE, 0xEF, 0x80, 0xBF, 2}, {0xF0, 0xF0, 0x90, 0xBF, 3},
                                 {0xF1, 0xF3, 0x80, 0xBF, 3}, {0xF4, 0xF4, 0x80, 0x8F, 3}};

const LeadRow* FindRow(uint8_t lead) {
  for (const LeadRow& row : kLeadRows) {
    if (lead >= row.first && lead <= row.last) return &row;
  }
  return nullptr;
}

Error NotUtf8(std::string_view text, size_t offset, std::string_view of) {
  return BadInput(Format("byte {:#04x} at offset {} {} is not UTF-8",
                         static_cast<uint8_t>(text[offset]), offset, of),
                  "", "write the text as UTF-8; `iconv -f ENCODING -t UTF-8` converts a file");
}

}  // namespace

CodePoint DecodeUtf8(std::string_view text, size_t offset) {
  FATHOM_CHECK(offset < text.size());
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(text[offset + at]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true, false};
  const LeadRow* row = FindRow(lead);
  if (row == nullptr) return {kReplacement, 1, false, false};
  const size_t length = 1U + row->following;
  uint32_t value = lead & (0x3FU >> row->following);
  for (size_t at = 1; at < length; ++at) {
    if (offset + at == text.size()) return {kReplacement, at, false, true};
    const uint8_t low = at == 1 ? row->second_low : 0x80;
    const uint8_t high = at == 1 ? row->second_high : 0xBF;
    if (byte(at) < low || byte(at) > high) return {kReplacement, at, false, false};
    value = value << 6 | (byte(at) & 0x3FU);
  }
  return {value, length, true, false};
}

void AppendUtf8(uint32_t code_point, std::string& out) {
  FATHOM_CHECK(code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF));
  const auto put = [&](uint32_t bits) { out += static_cast<char>(bits); };
  if (code_point < 0x80) {
    put(code_point);
    return;
  }
  if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      put(0xE0 | code_point >> 12);
    } else {
      put(0xF0 | code_point >> 18);
      put(0x80 | (code_point >> 12 & 0x3F));
    }
    put(0x80 | (code_point >> 6 & 0x3F));
  }
  put(0x80 | (code_point & 0x3F));
}

size_t ValidUtf8Prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const CodePoint code_point = DecodeUtf8(text, at);
    if (!code_point.valid) break;
    at += code_point.length;
  }
  return at;
}

Status CheckUtf8(std::string_view text) {
  const size_t valid = ValidUtf8Prefix(text);
  if (valid == text.size()) return Ok();
  const std::string_view before = text.substr(0, valid);
  return NotUtf8(text, valid,
                 Format("(line {})", std::count(before.begin(), before.end(), '\n') + 1));
}

Status CheckUtf8Line(std::string_view line) {
  const size_t valid = ValidUtf8Prefix(line);
  return valid == line.size() ? Ok() : NotUtf8(line, valid, "of the line");
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t valid = ValidUtf8Prefix(text.substr(at));
    out += text.substr(at, valid);
    at += valid;
    if (at == text.size()) break;
    AppendUtf8(kReplacement, out);
    at += DecodeUtf8(text, at).length;
  }
  return out;
}

size_t UnfinishedUtf8Tail(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<uint8_t>(text[text.size() - back]);
    if ((byte & 0xC0U) == 0x80) continue;  // continues a character that began further left
    return DecodeUtf8(text, text.size() - back).truncated ? back : 0;
  }
  return 0;
}

bool IsWhiteSpace(uint32_t code_point) {
  switch (code_point) {
    case 0x20:
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000:
      return true;
    default:
      return (code_point >= 0x09 && code_point <= 0x0D) ||
             (code_point >= 0x2000 && code_point <= 0x200A);
  }
}

}  // namespace fathom
