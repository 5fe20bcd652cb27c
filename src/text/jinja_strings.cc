#include "text/jinja_strings.h"

#include <string.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "text/jinja_budget.h"
#include "text/jinja_error.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"
#include "text/unicode_letters.h"
#include "text/utf8.h"

namespace fathom::jinja {
namespace {

bool Strips(std::string_view character, std::optional<std::string_view> set) {
  if (set.has_value()) return FindText(*set, character, 0) != std::string_view::npos;
  const CodePoint code_point = DecodeUtf8(character, 0);
  return code_point.valid && IsPythonSpace(code_point.value);
}

// Splitting at white space: [begin, end) of the words, in order.
std::vector<std::pair<size_t, size_t>> Words(std::string_view text) {
  std::vector<std::pair<size_t, size_t>> words;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    const CodePoint character = DecodeUtf8(text, at);
    const bool space = character.valid && IsPythonSpace(character.value);
    if (!space && !inside) words.emplace_back(at, at);
    inside = !space;
    at += character.length;
    if (inside) words.back().second = at;
  }
  return words;
}

std::vector<MarkedText> SplitAtSpace(const MarkedText& text, int64_t most, bool from_right) {
  std::vector<std::pair<size_t, size_t>> words = Words(text.text());
  const auto count = static_cast<int64_t>(words.size());
  if (most >= 0 && count > most + 1) {  // what is not split stays one piece with its spaces
    if (from_right) {
      const auto kept = words.end() - static_cast<ptrdiff_t>(most);
      words.erase(words.begin() + 1, kept);
      words[0] = {0, Words(text.text())[static_cast<size_t>(count - most - 1)].second};
    } else {
      words.resize(static_cast<size_t>(most) + 1);
      words.back().second = text.size();
    }
  }
  std::vector<MarkedText> pieces;
  pieces.reserve(words.size());
  for (const auto& [begin, end] : words) pieces.push_back(text.Slice(begin, end));
  return pieces;
}

std::vector<size_t> Occurrences(std::string_view text, std::string_view needle, int64_t most) {
  std::vector<size_t> places;
  const size_t limit = most < 0 ? std::numeric_limits<size_t>::max() : static_cast<size_t>(most);
  for (size_t at = 0; places.size() < limit;) {
    const size_t found = FindText(text, needle, at);
    if (found == std::string_view::npos) break;
    places.push_back(found);
    at = found + needle.size();
  }
  return places;
}

std::vector<size_t> OccurrencesFromRight(std::string_view text, std::string_view needle,
                                         int64_t most) {
  const std::string reversed_text(text.rbegin(), text.rend());
  const std::string reversed_needle(needle.rbegin(), needle.rend());
  std::vector<size_t> places = Occurrences(reversed_text, reversed_needle, most);
  for (size_t& place : places) place = text.size() - place - needle.size();
  std::reverse(places.begin(), places.end());
  return places;
}

// Python, "str.splitlines".
bool EndsLine(uint32_t value) {
  return (value >= '\n' && value <= '\r') || (value >= 0x1C && value <= 0x1E) || value == 0x85 ||
         value == 0x2028 || value == 0x2029;
}

// Jinja's _word_beginning_split_re.
bool BeginsWord(std::string_view text, size_t at) {
  const CodePoint character = DecodeUtf8(text, at);
  if (character.value < 0x80 &&
      std::string_view("-({[<").find(text[at]) != std::string_view::npos) {
    return true;
  }
  return character.valid && IsPythonSpace(character.value);
}

// The first character from i on, going by `step`, that is not case-ignorable has a case.
bool CasedBeside(std::string_view text, const std::vector<size_t>& offsets, size_t i, int step) {
  const auto characters = static_cast<ptrdiff_t>(offsets.size()) - 1;
  for (auto at = static_cast<ptrdiff_t>(i) + step; at >= 0 && at < characters; at += step) {
    const CodePoint character = DecodeUtf8(text, offsets[static_cast<size_t>(at)]);
    if (!character.valid) return false;
    if (!IsCaseIgnorable(character.value)) return CaseOf(character.value) != LetterCase::kNone;
  }
  return false;
}

// Character i in lower case. A capital sigma becomes another letter at the end of a word
// (SpecialCasing.txt, Final_Sigma).
void AppendLowerAt(std::string_view text, const std::vector<size_t>& offsets, size_t i,
                   std::string& out) {
  constexpr uint32_t kCapitalSigma = 0x3A3;
  const uint32_t value = DecodeUtf8(text, offsets[i]).value;
  if (value == kCapitalSigma && CasedBeside(text, offsets, i, -1) &&
      !CasedBeside(text, offsets, i, 1)) {
    out += "\u03c2";
  } else {
    AppendLower(value, out);
  }
}

// Python puts `to` between all characters when `from` is empty.
Result<MarkedText> Intersperse(const MarkedText& text, const MarkedText& to, int64_t most,
                               Budget& budget) {
  const std::vector<size_t> offsets = CharacterOffsets(text.text());
  FATHOM_OK(budget.Bytes(text.size() + offsets.size() * to.size()));
  MarkedText out;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (most < 0 || static_cast<int64_t>(i) < most) out.Append(to);
    if (i + 1 < offsets.size()) out.Append(text.Slice(offsets[i], offsets[i + 1]));
  }
  return out;
}

}  // namespace

size_t FindText(std::string_view text, std::string_view needle, size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (needle.empty()) return from;
  const void* found = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

std::vector<size_t> CharacterOffsets(std::string_view text) {
  std::vector<size_t> offsets;
  for (size_t at = 0; at < text.size(); at += DecodeUtf8(text, at).length) offsets.push_back(at);
  offsets.push_back(text.size());
  return offsets;
}

int64_t CountCharacters(std::string_view text) {
  return static_cast<int64_t>(CharacterOffsets(text).size()) - 1;
}

std::vector<Value> Characters(const MarkedText& text) {
  const std::vector<size_t> offsets = CharacterOffsets(text.text());
  std::vector<Value> characters;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    characters.push_back(Value::String(text.Slice(offsets[i], offsets[i + 1])));
  }
  return characters;
}

MarkedText Strip(const MarkedText& text, Side side, std::optional<std::string_view> set) {
  const std::vector<size_t> offsets = CharacterOffsets(text.text());
  const auto strips = [&](size_t i) {
    const std::string_view bytes = text.text();
    return Strips(bytes.substr(offsets[i], offsets[i + 1] - offsets[i]), set);
  };
  size_t begin = 0;
  size_t end = offsets.size() - 1;
  if (side != Side::kRight) {
    while (begin < end && strips(begin)) ++begin;
  }
  if (side != Side::kLeft) {
    while (end > begin && strips(end - 1)) --end;
  }
  return text.Slice(offsets[begin], offsets[end]);
}

Result<std::vector<MarkedText>> Split(const MarkedText& text, const SplitOptions& options) {
  if (!options.separator.has_value()) {
    return SplitAtSpace(text, options.most_splits, options.from_right);
  }
  const std::string_view separator = *options.separator;
  if (separator.empty()) return TemplateError("split with an empty separator");
  const auto places = options.from_right
                          ? OccurrencesFromRight(text.text(), separator, options.most_splits)
                          : Occurrences(text.text(), separator, options.most_splits);
  std::vector<MarkedText> pieces;
  size_t begin = 0;
  for (const size_t place : places) {
    pieces.push_back(text.Slice(begin, place));
    begin = place + separator.size();
  }
  pieces.push_back(text.Slice(begin, text.size()));
  return pieces;
}

std::vector<MarkedText> SplitLines(const MarkedText& text, bool keep_ends) {
  std::vector<MarkedText> lines;
  const std::string_view bytes = text.text();
  size_t begin = 0;
  for (size_t at = 0; at < bytes.size();) {
    const CodePoint character = DecodeUtf8(bytes, at);
    const size_t next = at + (bytes.substr(at, 2) == "\r\n" ? 2 : character.length);
    if (character.valid && EndsLine(character.value)) {
      lines.push_back(text.Slice(begin, keep_ends ? next : at));
      begin = next;
    }
    at = next;
  }
  if (begin < bytes.size()) lines.push_back(text.Slice(begin, bytes.size()));
  return lines;
}

Result<MarkedText> Replace(const MarkedText& text, const MarkedText& from, const MarkedText& to,
                           int64_t most, Budget& budget) {
  if (from.empty()) return Intersperse(text, to, most, budget);
  const std::vector<size_t> places = Occurrences(text.text(), from.text(), most);
  FATHOM_OK(budget.Bytes(text.size() + places.size() * to.size()));
  MarkedText out;
  size_t done = 0;
  for (const size_t place : places) {
    out.Append(text.Slice(done, place));
    out.Append(to);
    done = place + from.size();
  }
  out.Append(text.Slice(done, text.size()));
  return out;
}

MarkedText ChangeCase(const MarkedText& text, Case to) {
  MarkedText out;
  const std::vector<size_t> offsets = CharacterOffsets(text.text());
  bool inside_word = false;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const CodePoint character = DecodeUtf8(text.text(), offsets[i]);
    if (!character.valid) {
      out.Append(text.Slice(offsets[i], offsets[i + 1]));
      continue;
    }
    std::string mapped;
    if (to == Case::kUpper) {
      AppendUpper(character.value, mapped);
    } else if (to == Case::kLower || inside_word) {
      AppendLowerAt(text.text(), offsets, i, mapped);
    } else {
      AppendTitle(character.value, mapped);
    }
    out.Append(mapped, text.IsMarked(offsets[i]));
    inside_word = to == Case::kCapital || CaseOf(character.value) != LetterCase::kNone;
  }
  return out;
}

MarkedText TitleWords(const MarkedText& text) {
  MarkedText out;
  const std::vector<size_t> offsets = CharacterOffsets(text.text());
  for (size_t begin = 0; begin + 1 < offsets.size();) {
    const bool separates = BeginsWord(text.text(), offsets[begin]);
    size_t end = begin + 1;
    while (end + 1 < offsets.size() && BeginsWord(text.text(), offsets[end]) == separates) ++end;
    out.Append(ChangeCase(text.Slice(offsets[begin], offsets[begin + 1]), Case::kUpper));
    out.Append(ChangeCase(text.Slice(offsets[begin + 1], offsets[end]), Case::kLower));
    begin = end;
  }
  return out;
}

Result<MarkedText> Repeat(const MarkedText& text, int64_t count, Budget& budget) {
  MarkedText out;
  if (count <= 0 || text.empty()) return out;
  if (static_cast<uint64_t>(count) > static_cast<uint64_t>(Budget::kMostBytes)) {
    FATHOM_OK(budget.Bytes(static_cast<uint64_t>(count)));
  }
  FATHOM_OK(budget.Bytes(text.size() * static_cast<uint64_t>(count)));
  for (int64_t i = 0; i < count; ++i) out.Append(text);
  return out;
}

bool IsPythonSpace(uint32_t code_point) {
  return IsWhiteSpace(code_point) || (code_point >= 0x1C && code_point <= 0x1F);
}

}  // namespace fathom::jinja
