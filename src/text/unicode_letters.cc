#include "text/unicode_letters.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "text/utf8.h"

namespace fathom {
namespace {

struct Range {
  uint32_t first, last;
};
template <size_t count>
bool Holds(const Range (&ranges)[count], uint32_t value) {
  const auto place = std::partition_point(std::begin(ranges), std::end(ranges),
                                          [=](const Range& r) { return r.last < value; });
  return place != std::end(ranges) && place->first <= value;
}

// Other_Lowercase and Other_Uppercase (PropList.txt): what has a case without being a letter of it.
constexpr Range kOtherLowercase[] = {
    {0xAA, 0xAA},       {0xBA, 0xBA},       {0x2B0, 0x2B8},     {0x2C0, 0x2C1},    {0x2E0, 0x2E4},
    {0x345, 0x345},     {0x37A, 0x37A},     {0x1D2C, 0x1D6A},   {0x1D78, 0x1D78},  {0x1D9B, 0x1DBF},
    {0x2071, 0x2071},   {0x207F, 0x207F},   {0x2090, 0x209C},   {0x2170, 0x217F},  {0x24D0, 0x24E9},
    {0x2C7C, 0x2C7D},   {0xA69C, 0xA69D},   {0xA770, 0xA770},   {0xA7F8, 0xA7F9},  {0xAB5C, 0xAB5F},
    {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA}};
constexpr Range kOtherUppercase[] = {
    {0x2160, 0x216F}, {0x24B6, 0x24CF}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};

// Numeric_Type=Digit (DerivedNumericType.txt): digits that no number is written in.
constexpr Range kOtherDigits[] = {
    {0xB2, 0xB3},       {0xB9, 0xB9},       {0x1369, 0x1371},   {0x19DA, 0x19DA},
    {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
    {0x2474, 0x247C},   {0x2488, 0x2490},   {0x24EA, 0x24EA},   {0x24F5, 0x24FD},
    {0x24FF, 0x24FF},   {0x2776, 0x277E},   {0x2780, 0x2788},   {0x278A, 0x2792},
    {0x10A40, 0x10A43}, {0x10E60, 0x10E68}, {0x11052, 0x1105A}, {0x1F100, 0x1F10A}};

// Word_Break MidLetter, MidNumLet and Single_Quote (WordBreakProperty.txt).
constexpr Range kInsideWords[] = {
    {0x27, 0x27},     {0x2E, 0x2E},     {0x3A, 0x3A},     {0xB7, 0xB7},
    {0x387, 0x387},   {0x55F, 0x55F},   {0x5F4, 0x5F4},   {0x2018, 0x2019},
    {0x2024, 0x2024}, {0x2027, 0x2027}, {0xFE13, 0xFE13}, {0xFE52, 0xFE52},
    {0xFE55, 0xFE55}, {0xFF07, 0xFF07}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1A}};

// SpecialCasing.txt: those that become several characters.
struct LongCase {
  uint32_t value;
  std::string_view upper, title;
};
constexpr LongCase kLongCases[] = {
    {0x00DF, "SS", "Ss"},
    {0x0149, "\u02bcN", "\u02bcN"},
    {0x01F0, "J\u030c", "J\u030c"},
    {0x0390, "\u0399\u0308\u0301", "\u0399\u0308\u0301"},
    {0x03B0, "\u03a5\u0308\u0301", "\u03a5\u0308\u0301"},
    {0x0587, "\u0535\u0552", "\u0535\u0582"},
    {0x1E96, "H\u0331", "H\u0331"},
    {0x1E97, "T\u0308", "T\u0308"},
    {0x1E98, "W\u030a", "W\u030a"},
    {0x1E99, "Y\u030a", "Y\u030a"},
    {0x1E9A, "A\u02be", "A\u02be"},
    {0x1F50, "\u03a5\u0313", "\u03a5\u0313"},
    {0x1F52, "\u03a5\u0313\u0300", "\u03a5\u0313\u0300"},
    {0x1F54, "\u03a5\u0313\u0301", "\u03a5\u0313\u0301"},
    {0x1F56, "\u03a5\u0313\u0342", "\u03a5\u0313\u0342"},
    {0x1F80, "\u1f08\u0399", "\u1f88"},
    {0x1F81, "\u1f09\u0399", "\u1f89"},
    {0x1F82, "\u1f0a\u0399", "\u1f8a"},
    {0x1F83, "\u1f0b\u0399", "\u1f8b"},
    {0x1F84, "\u1f0c\u0399", "\u1f8c"},
    {0x1F85, "\u1f0d\u0399", "\u1f8d"},
    {0x1F86, "\u1f0e\u0399", "\u1f8e"},
    {0x1F87, "\u1f0f\u0399", "\u1f8f"},
    {0x1F88, "\u1f08\u0399", "\u1f88"},
    {0x1F89, "\u1f09\u0399", "\u1f89"},
    {0x1F8A, "\u1f0a\u0399", "\u1f8a"},
    {0x1F8B, "\u1f0b\u0399", "\u1f8b"},
    {0x1F8C, "\u1f0c\u0399", "\u1f8c"},
    {0x1F8D, "\u1f0d\u0399", "\u1f8d"},
    {0x1F8E, "\u1f0e\u0399", "\u1f8e"},
    {0x1F8F, "\u1f0f\u0399", "\u1f8f"},
    {0x1F90, "\u1f28\u0399", "\u1f98"},
    {0x1F91, "\u1f29\u0399", "\u1f99"},
    {0x1F92, "\u1f2a\u0399", "\u1f9a"},
    {0x1F93, "\u1f2b\u0399", "\u1f9b"},
    {0x1F94, "\u1f2c\u0399", "\u1f9c"},
    {0x1F95, "\u1f2d\u0399", "\u1f9d"},
    {0x1F96, "\u1f2e\u0399", "\u1f9e"},
    {0x1F97, "\u1f2f\u0399", "\u1f9f"},
    {0x1F98, "\u1f28\u0399", "\u1f98"},
    {0x1F99, "\u1f29\u0399", "\u1f99"},
    {0x1F9A, "\u1f2a\u0399", "\u1f9a"},
    {0x1F9B, "\u1f2b\u0399", "\u1f9b"},
    {0x1F9C, "\u1f2c\u0399", "\u1f9c"},
    {0x1F9D, "\u1f2d\u0399", "\u1f9d"},
    {0x1F9E, "\u1f2e\u0399", "\u1f9e"},
    {0x1F9F, "\u1f2f\u0399", "\u1f9f"},
    {0x1FA0, "\u1f68\u0399", "\u1fa8"},
    {0x1FA1, "\u1f69\u0399", "\u1fa9"},
    {0x1FA2, "\u1f6a\u0399", "\u1faa"},
    {0x1FA3, "\u1f6b\u0399", "\u1fab"},
    {0x1FA4, "\u1f6c\u0399", "\u1fac"},
    {0x1FA5, "\u1f6d\u0399", "\u1fad"},
    {0x1FA6, "\u1f6e\u0399", "\u1fae"},
    {0x1FA7, "\u1f6f\u0399", "\u1faf"},
    {0x1FA8, "\u1f68\u0399", "\u1fa8"},
    {0x1FA9, "\u1f69\u0399", "\u1fa9"},
    {0x1FAA, "\u1f6a\u0399", "\u1faa"},
    {0x1FAB, "\u1f6b\u0399", "\u1fab"},
    {0x1FAC, "\u1f6c\u0399", "\u1fac"},
    {0x1FAD, "\u1f6d\u0399", "\u1fad"},
    {0x1FAE, "\u1f6e\u0399", "\u1fae"},
    {0x1FAF, "\u1f6f\u0399", "\u1faf"},
    {0x1FB2, "\u1fba\u0399", "\u1fba\u0345"},
    {0x1FB3, "\u0391\u0399", "\u1fbc"},
    {0x1FB4, "\u0386\u0399", "\u0386\u0345"},
    {0x1FB6, "\u0391\u0342", "\u0391\u0342"},
    {0x1FB7, "\u0391\u0342\u0399", "\u0391\u0342\u0345"},
    {0x1FBC, "\u0391\u0399", "\u1fbc"},
    {0x1FC2, "\u1fca\u0399", "\u1fca\u0345"},
    {0x1FC3, "\u0397\u0399", "\u1fcc"},
    {0x1FC4, "\u0389\u0399", "\u0389\u0345"},
    {0x1FC6, "\u0397\u0342", "\u0397\u0342"},
    {0x1FC7, "\u0397\u0342\u0399", "\u0397\u0342\u0345"},
    {0x1FCC, "\u0397\u0399", "\u1fcc"},
    {0x1FD2, "\u0399\u0308\u0300", "\u0399\u0308\u0300"},
    {0x1FD3, "\u0399\u0308\u0301", "\u0399\u0308\u0301"},
    {0x1FD6, "\u0399\u0342", "\u0399\u0342"},
    {0x1FD7, "\u0399\u0308\u0342", "\u0399\u0308\u0342"},
    {0x1FE2, "\u03a5\u0308\u0300", "\u03a5\u0308\u0300"},
    {0x1FE3, "\u03a5\u0308\u0301", "\u03a5\u0308\u0301"},
    {0x1FE4, "\u03a1\u0313", "\u03a1\u0313"},
    {0x1FE6, "\u03a5\u0342", "\u03a5\u0342"},
    {0x1FE7, "\u03a5\u0308\u0342", "\u03a5\u0308\u0342"},
    {0x1FF2, "\u1ffa\u0399", "\u1ffa\u0345"},
    {0x1FF3, "\u03a9\u0399", "\u1ffc"},
    {0x1FF4, "\u038f\u0399", "\u038f\u0345"},
    {0x1FF6, "\u03a9\u0342", "\u03a9\u0342"},
    {0x1FF7, "\u03a9\u0342\u0399", "\u03a9\u0342\u0345"},
    {0x1FFC, "\u03a9\u0399", "\u1ffc"},
    {0xFB00, "FF", "Ff"},
    {0xFB01, "FI", "Fi"},
    {0xFB02, "FL", "Fl"},
    {0xFB03, "FFI", "Ffi"},
    {0xFB04, "FFL", "Ffl"},
    {0xFB05, "ST", "St"},
    {0xFB06, "ST", "St"},
    {0xFB13, "\u0544\u0546", "\u0544\u0576"},
    {0xFB14, "\u0544\u0535", "\u0544\u0565"},
    {0xFB15, "\u0544\u053b", "\u0544\u056b"},
    {0xFB16, "\u054e\u0546", "\u054e\u0576"},
    {0xFB17, "\u0544\u053d", "\u0544\u056d"},
};

const LongCase* FindLongCase(uint32_t value) {
  const auto place = std::partition_point(std::begin(kLongCases), std::end(kLongCases),
                                          [=](const LongCase& c) { return c.value < value; });
  return place != std::end(kLongCases) && place->value == value ? &*place : nullptr;
}

utf8proc_category_t Category(uint32_t value) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(value));
}

void AppendMapped(utf8proc_int32_t (*map)(utf8proc_int32_t), uint32_t value, std::string& out) {
  AppendUtf8(static_cast<uint32_t>(map(static_cast<utf8proc_int32_t>(value))), out);
}

}  // namespace

LetterCase CaseOf(uint32_t value) {
  const utf8proc_category_t category = Category(value);
  if (category == UTF8PROC_CATEGORY_LT) return LetterCase::kTitle;
  if (category == UTF8PROC_CATEGORY_LL || Holds(kOtherLowercase, value)) return LetterCase::kLower;
  if (category == UTF8PROC_CATEGORY_LU || Holds(kOtherUppercase, value)) return LetterCase::kUpper;
  return LetterCase::kNone;
}

bool IsCaseIgnorable(uint32_t value) {
  switch (Category(value)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return Holds(kInsideWords, value);
  }
}

void AppendUpper(uint32_t value, std::string& out) {
  const LongCase* special = FindLongCase(value);
  if (special != nullptr) {
    out += special->upper;
  } else {
    AppendMapped(utf8proc_toupper, value, out);
  }
}

void AppendTitle(uint32_t value, std::string& out) {
  const LongCase* special = FindLongCase(value);
  if (special != nullptr) {
    out += special->title;
  } else {
    AppendMapped(utf8proc_totitle, value, out);
  }
}

void AppendLower(uint32_t value, std::string& out) {
  if (value == 0x130) {
    out += "i\u0307";
  } else {
    AppendMapped(utf8proc_tolower, value, out);
  }
}

std::optional<int> DecimalDigit(uint32_t value) {
  if (Category(value) != UTF8PROC_CATEGORY_ND) return std::nullopt;
  // They come in runs of ten, 0 to 9; several runs may follow each other.
  uint32_t first = value;
  while (Category(first - 1) == UTF8PROC_CATEGORY_ND) --first;
  return static_cast<int>((value - first) % 10);
}

bool IsDigit(uint32_t value) {
  return Category(value) == UTF8PROC_CATEGORY_ND || Holds(kOtherDigits, value);
}

bool IsPrintable(uint32_t value) {
  switch (Category(value)) {
    case UTF8PROC_CATEGORY_ZS:
      return value == ' ';
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

}  // namespace fathom
