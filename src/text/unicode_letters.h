#ifndef FATHOM_TEXT_UNICODE_LETTERS_H_
#define FATHOM_TEXT_UNICODE_LETTERS_H_

#include <cstdint>
#include <optional>
#include <string>

namespace fathom {

// Properties of single characters, as Python's str has them from the Unicode data. Those that a
// version of Unicode has not assigned yet differ from Python's where its version is another.

enum class LetterCase { kNone, kLower, kUpper, kTitle };
// The derived properties Lowercase and Uppercase, and the category Lt.
LetterCase CaseOf(uint32_t value);
// Case_Ignorable: what stands inside words beside letters, as accents and apostrophes do.
bool IsCaseIgnorable(uint32_t value);

// Appends the full case mapping (UnicodeData.txt, SpecialCasing.txt), which may be several
// characters: "ß" becomes "SS". What depends on the place in a word (the final sigma) does not.
void AppendUpper(uint32_t value, std::string& out);
void AppendTitle(uint32_t value, std::string& out);
void AppendLower(uint32_t value, std::string& out);

// 0 to 9 for a digit in which numbers are written, of any script.
std::optional<int> DecimalDigit(uint32_t value);
// These and the likes of superscripts: Numeric_Type is Decimal or Digit.
bool IsDigit(uint32_t value);

// What repr() leaves as it is: all but controls, separators other than the space, and what is not
// assigned.
bool IsPrintable(uint32_t value);

}  // namespace fathom

#endif  // FATHOM_TEXT_UNICODE_LETTERS_H_
