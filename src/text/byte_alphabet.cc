#include "text/byte_alphabet.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/utf8.h"

namespace fathom {
namespace {

constexpr uint32_t kFirstMoved = 0x100;

bool StandsForItself(uint32_t value) {
  return (value >= 0x21 && value <= 0x7E) || (value >= 0xA1 && value <= 0xFF && value != 0xAD);
}

// The bytes that do not stand for themselves are 00..20, 7F..A0 and AD: 33 + 34 + 1.
uint32_t MovedIndex(uint8_t byte) {
  if (byte <= 0x20) return byte;
  return byte == 0xAD ? 67 : byte - 0x7FU + 33;
}
std::optional<uint8_t> MovedByte(uint32_t index) {
  if (index <= 0x20) return static_cast<uint8_t>(index);
  if (index < 67) return static_cast<uint8_t>(index - 33 + 0x7F);
  if (index == 67) return uint8_t{0xAD};
  return std::nullopt;
}

}  // namespace

std::string ByteCharacter(uint8_t byte) {
  std::string out;
  AppendUtf8(StandsForItself(byte) ? byte : kFirstMoved + MovedIndex(byte), out);
  return out;
}

std::optional<std::string> BytesOfEntry(std::string_view entry) {
  std::string bytes;
  for (size_t at = 0; at < entry.size();) {
    const CodePoint character = DecodeUtf8(entry, at);
    if (character.valid && StandsForItself(character.value)) {
      bytes += static_cast<char>(character.value);
    } else {
      if (character.value < kFirstMoved) return std::nullopt;
      const std::optional<uint8_t> byte = MovedByte(character.value - kFirstMoved);
      if (!byte.has_value()) return std::nullopt;
      bytes += static_cast<char>(*byte);
    }
    at += character.length;
  }
  return bytes;
}

}  // namespace fathom
