#ifndef FATHOM_TEXT_UTF8_H_
#define FATHOM_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fathom {

// What stands at one place of a byte string.
struct CodePoint {
  uint32_t value = 0;      // U+FFFD when not valid
  size_t length = 0;       // bytes it takes; at least 1
  bool valid = false;      // well-formed (Unicode 15, table 3-7)
  bool truncated = false;  // not valid only because the text ends: more bytes could complete it
};

// The code point at `offset` (< text.size(), CHECK). Bytes that are not UTF-8 are taken as maximal
// subparts (Unicode 15, section 3.9), so that each becomes one U+FFFD.
CodePoint DecodeUtf8(std::string_view text, size_t offset);

// Appends the UTF-8 form of a Unicode scalar value (CHECK: not a surrogate, at most U+10FFFF).
void AppendUtf8(uint32_t code_point, std::string& out);

// Bytes of the longest well-formed beginning.
size_t ValidUtf8Prefix(std::string_view text);

// Refuses (kBadInput) a text that is not UTF-8 with the first bad byte, its offset and its line.
Status CheckUtf8(std::string_view text);
// The same for one line, whose number its caller knows.
Status CheckUtf8Line(std::string_view line);

// The text with U+FFFD in place of each maximal subpart that is not UTF-8.
std::string ReplaceInvalidUtf8(std::string_view text);

// How many bytes at the end begin a character that more bytes could complete: 0 to 3.
size_t UnfinishedUtf8Tail(std::string_view text);

// Unicode's White_Space property (PropList.txt).
bool IsWhiteSpace(uint32_t code_point);

}  // namespace fathom

#endif  // FATHOM_TEXT_UTF8_H_
