#ifndef FATHOM_TEXT_ADDED_TOKENS_H_
#define FATHOM_TEXT_ADDED_TOKENS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/marked_text.h"

namespace fathom {

// A token that is found in the text before anything else is done to it.
struct AddedToken {
  int32_t id = 0;
  std::string content;
  bool lstrip = false;      // takes white space before it
  bool rstrip = false;      // takes white space after it
  bool normalized = false;  // searched in normalised text
  bool special = false;     // left out when special tokens are skipped
};

// Searches a set of added tokens in text, the way the tokenizers library does: leftmost first, of
// those the longest.
class AddedTokenFinder {
 public:
  // The content of each must be UTF-8, not empty, and no other's.
  explicit AddedTokenFinder(std::vector<AddedToken> tokens);

  struct Found {
    size_t begin = 0;  // with the white space that lstrip and rstrip take
    size_t end = 0;
    int32_t id = 0;
  };
  // The first token at or after `from` that holds no byte of a message. Cost: a search among the
  // tokens for each byte of the longest that begins like the text there.
  std::optional<Found> Next(const MarkedText& input, size_t from) const;

 private:
  const AddedToken* LongestAt(const MarkedText& input, size_t at) const;

  std::vector<AddedToken> tokens_;  // by content
  std::array<bool, 256> begins_{};  // bytes with which a token begins
};

}  // namespace fathom

#endif  // FATHOM_TEXT_ADDED_TOKENS_H_
