#ifndef FATHOM_TEXT_JINJA_STRINGS_H_
#define FATHOM_TEXT_JINJA_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/jinja_budget.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {

// Python's operations on texts. Positions are bytes unless they say characters; a byte that is not
// UTF-8 counts as one character.

// Where `needle` begins at or after `from`; npos if nowhere. Linear time.
size_t FindText(std::string_view text, std::string_view needle, size_t from);

int64_t CountCharacters(std::string_view text);
// The byte where each character begins, and the end of the text.
std::vector<size_t> CharacterOffsets(std::string_view text);
std::vector<Value> Characters(const MarkedText& text);

enum class Side { kLeft, kRight, kBoth };
// str.strip, lstrip, rstrip: takes off white space, or the characters of `set`.
MarkedText Strip(const MarkedText& text, Side side, std::optional<std::string_view> set);

// str.split and rsplit. No separator: runs of white space. most_splits < 0: all. Error: an empty
// separator.
struct SplitOptions {
  std::optional<std::string_view> separator;
  int64_t most_splits = -1;
  bool from_right = false;
};
Result<std::vector<MarkedText>> Split(const MarkedText& text, const SplitOptions& options);
// str.splitlines: at every line end that Python knows; keep_ends: they stay on their lines.
std::vector<MarkedText> SplitLines(const MarkedText& text, bool keep_ends);

// str.replace; most < 0: all.
Result<MarkedText> Replace(const MarkedText& text, const MarkedText& from, const MarkedText& to,
                           int64_t most, Budget& budget);

enum class Case { kUpper, kLower, kTitle, kCapital };
// str.upper, lower, title and capitalize.
MarkedText ChangeCase(const MarkedText& text, Case to);
// Jinja's filter `title`, which is not str.title: what follows white space or one of - ( { [ < is
// upper case, all else lower.
MarkedText TitleWords(const MarkedText& text);

// `count` copies of the text; none if count < 0.
Result<MarkedText> Repeat(const MarkedText& text, int64_t count, Budget& budget);

// Python's str.isspace for one character.
bool IsPythonSpace(uint32_t code_point);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_STRINGS_H_
