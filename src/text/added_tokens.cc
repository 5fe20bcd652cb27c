#include "text/added_tokens.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "text/marked_text.h"
#include "text/utf8.h"

namespace fathom {
namespace {

size_t WhiteSpaceAfter(std::string_view text, size_t at) {
  while (at < text.size()) {
    const CodePoint character = DecodeUtf8(text, at);
    if (!character.valid || !IsWhiteSpace(character.value)) break;
    at += character.length;
  }
  return at;
}

// Where white space that ends at `end` begins, but not before `from`.
size_t WhiteSpaceBefore(std::string_view text, size_t from, size_t end) {
  size_t begin = end;
  while (begin > from) {
    size_t lead = begin - 1;
    while (lead > from && (static_cast<uint8_t>(text[lead]) & 0xC0U) == 0x80) --lead;
    const CodePoint character = DecodeUtf8(text, lead);
    if (!character.valid || !IsWhiteSpace(character.value) || lead + character.length != begin) {
      break;
    }
    begin = lead;
  }
  return begin;
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.content < b.content; });
  for (const AddedToken& token : tokens_) {
    FATHOM_CHECK(!token.content.empty());
    begins_[static_cast<uint8_t>(token.content[0])] = true;
  }
}

const AddedToken* AddedTokenFinder::LongestAt(const MarkedText& input, size_t at) const {
  const AddedToken* longest = nullptr;
  auto low = tokens_.begin();
  auto high = tokens_.end();
  // Narrows [low, high) to the tokens that begin with text[at, at + length].
  for (size_t length = 0; at + length < input.size() && !input.IsMarked(at + length); ++length) {
    const auto byte = static_cast<uint8_t>(input.text()[at + length]);
    const auto byte_of = [length](const AddedToken& token) {
      return static_cast<uint8_t>(token.content[length]);
    };
    low = std::lower_bound(low, high, byte,
                           [&](const AddedToken& t, uint8_t b) { return byte_of(t) < b; });
    high = std::upper_bound(low, high, byte,
                            [&](uint8_t b, const AddedToken& t) { return b < byte_of(t); });
    if (low == high) break;
    // The shortest sorts first; once noted it goes, so that all others reach past `length`.
    if (low->content.size() == length + 1) longest = &*low++;
    if (low == high) break;
  }
  return longest;
}

std::optional<AddedTokenFinder::Found> AddedTokenFinder::Next(const MarkedText& input,
                                                              size_t from) const {
  for (size_t at = from; at < input.size(); ++at) {
    if (!begins_[static_cast<uint8_t>(input.text()[at])]) continue;
    const AddedToken* token = LongestAt(input, at);
    if (token == nullptr) continue;
    Found found{at, at + token->content.size(), token->id};
    if (token->lstrip) found.begin = WhiteSpaceBefore(input.text(), from, found.begin);
    if (token->rstrip) found.end = WhiteSpaceAfter(input.text(), found.end);
    return found;
  }
  return std::nullopt;
}

}  // namespace fathom
