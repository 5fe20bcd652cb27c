#ifndef FATHOM_TEXT_JINJA_LEXER_H_
#define FATHOM_TEXT_JINJA_LEXER_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fathom::jinja {

enum class TokenKind {
  kText,        // outside of tags; white space control is already applied
  kPrintBegin,  // {{
  kPrintEnd,    // }}
  kBlockBegin,  // {%
  kBlockEnd,    // %}
  kName,
  kString,   // text: with its escapes resolved
  kInteger,  // text: digits, without _
  kFloat,
  kOperator,  // text: "+", "==", "(", ...
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  int line = 1;
};

// Cuts a template into tokens that end in a kEnd, with trim_blocks and lstrip_blocks on, as
// transformers sets them. Line ends become \n and one at the very end is dropped. Errors
// (kBadInput) have "line N" as their where.
Result<std::vector<Token>> Tokenize(std::string_view source);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_LEXER_H_
