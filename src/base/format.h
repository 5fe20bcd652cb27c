#ifndef FATHOM_BASE_FORMAT_H_
#define FATHOM_BASE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace fathom {

// One argument of Format: a number, a bool, a character or text. Text is borrowed for the call.
class FormatArg {
 public:
  enum class Kind { kInt, kUint, kDouble, kBool, kText };

  template <typename T>
    requires std::is_arithmetic_v<T>
  FormatArg(T value) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_same_v<T, bool>) {
      kind = Kind::kBool;
      uint_value = value ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      kind = Kind::kDouble;
      double_value = static_cast<double>(value);
    } else if constexpr (std::is_signed_v<T>) {
      kind = Kind::kInt;
      int_value = static_cast<int64_t>(value);
    } else {
      kind = Kind::kUint;
      uint_value = static_cast<uint64_t>(value);
    }
  }
  FormatArg(std::string_view value) : kind(Kind::kText), text(value) {}    // NOLINT
  FormatArg(const std::string& value) : kind(Kind::kText), text(value) {}  // NOLINT
  FormatArg(const char* value) : kind(Kind::kText), text(value) {}         // NOLINT

  Kind kind = Kind::kInt;
  int64_t int_value = 0;
  uint64_t uint_value = 0;
  double double_value = 0;
  std::string_view text;
};

namespace internal {
std::string FormatArgs(std::string_view pattern, const FormatArg* args, int count);
}  // namespace internal

// {fmt}'s replacement fields ("{}", "{:>8}", "{:.3f}", "{:#x}") over numbers, bools and text. A
// char is its number. A pattern that does not match its arguments is a bug of the caller and ends
// the program.
template <typename... Args>
std::string Format(std::string_view pattern, const Args&... args) {
  if constexpr (sizeof...(Args) == 0) {
    return internal::FormatArgs(pattern, nullptr, 0);
  } else {
    const FormatArg list[] = {FormatArg(args)...};
    return internal::FormatArgs(pattern, list, static_cast<int>(sizeof...(Args)));
  }
}

// 1234567 -> "1,234,567".
std::string WithCommas(int64_t value);

// Bytes for people, in binary units with one decimal: "512 B", "1.5 KiB", "641.3 GiB".
std::string HumanBytes(int64_t bytes);

// A text of any length for a message or a log: its first `most` bytes, cut between characters, and
// "..." where something is left out.
std::string Shortened(std::string_view text, size_t most = 100);

// "[2048, 7168]".
template <typename Range>
std::string ShapeString(const Range& shape) {
  std::string text = "[";
  for (const auto& dim : shape) {
    if (text.size() > 1) text += ", ";
    text += Format("{}", dim);
  }
  return text + "]";
}

}  // namespace fathom

#endif  // FATHOM_BASE_FORMAT_H_
