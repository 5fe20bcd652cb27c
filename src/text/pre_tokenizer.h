#ifndef FATHOM_TEXT_PRE_TOKENIZER_H_
#define FATHOM_TEXT_PRE_TOKENIZER_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/regex.h"

namespace fathom {

// Cuts text into the words inside which BPE may merge: the "pre_tokenizer" of tokenizer.json, as a
// list of patterns, each applied inside the pieces of the one before. What a pattern matches and
// what lies between its matches are both pieces ("Isolated"). Look-ahead sees only its piece.
class PreTokenizer {
 public:
  // `place` is the "pre_tokenizer" object: a ByteLevel, or a Sequence of Split and Digits steps
  // that ends in one. What is not supported is an error (kBadInput) with its JSON path.
  static Result<PreTokenizer> Parse(const JsonReader& place);

  // The pieces of `text`, in order, without gaps; they borrow from it. Bytes that are not UTF-8 are
  // pieces of their own. Error (kBadInput): a pattern gives up on the text; with its JSON path.
  Result<std::vector<std::string_view>> Split(std::string_view text) const;

 private:
  Status AddStep(const JsonReader& step);
  Status AddSplit(const JsonReader& step);
  Status AddByteLevel(const JsonReader& step);
  Status AddPattern(std::string_view pattern, Regex::Syntax syntax, const JsonReader& step);
  Status SplitValid(std::string_view text, std::vector<std::string_view>& pieces) const;

  struct Step {
    Regex regex;
    std::string where;
  };
  std::vector<Step> steps_;
  bool ends_in_bytes_ = false;
};

}  // namespace fathom

#endif  // FATHOM_TEXT_PRE_TOKENIZER_H_
