#ifndef FATHOM_TEXT_BYTE_ALPHABET_H_
#define FATHOM_TEXT_BYTE_ALPHABET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fathom {

// The alphabet in which byte-level vocabularies are written (GPT-2, encoder.py): each byte is one
// printable character. '!'..'~', U+00A1..U+00AC and U+00AE..U+00FF stand for themselves; the other
// 68 bytes, in order, are U+0100..U+0143 (so a space is U+0120).

// The character that stands for `byte`, as UTF-8.
std::string ByteCharacter(uint8_t byte);

// The bytes that a vocabulary entry stands for; nullopt if a character of it is outside the
// alphabet.
std::optional<std::string> BytesOfEntry(std::string_view entry);

}  // namespace fathom

#endif  // FATHOM_TEXT_BYTE_ALPHABET_H_
