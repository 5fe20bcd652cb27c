#ifndef FATHOM_TEXT_JINJA_TOKEN_STREAM_H_
#define FATHOM_TEXT_JINJA_TOKEN_STREAM_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_error.h"
#include "text/jinja_lexer.h"

namespace fathom::jinja {

// The tokens of a template with a place in them, for the parsers.
class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  int line() const { return current().line; }
  // The current token, stepping past it; the last one (kEnd) stays.
  Token Take() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_[at_]; }

  bool AtOperator(std::string_view op) const { return At(TokenKind::kOperator, op); }
  bool AtName(std::string_view name) const { return At(TokenKind::kName, name); }
  bool TakeOperator(std::string_view op) { return TakeIf(AtOperator(op)); }
  bool TakeName(std::string_view name) { return TakeIf(AtName(name)); }

  Status ExpectOperator(std::string_view op) {
    if (TakeOperator(op)) return Ok();
    return Unexpected(Format("\"{}\"", op));
  }
  Status ExpectName(std::string_view name) {
    if (TakeName(name)) return Ok();
    return Unexpected(Format("\"{}\"", name));
  }
  Status Expect(TokenKind kind) {
    if (TakeIf(current().kind == kind)) return Ok();
    return Unexpected(Describe({kind, "", 0}));
  }
  Result<std::string> ExpectAnyName() {
    if (current().kind == TokenKind::kName) return Take().text;
    return Unexpected("a name");
  }

  Error Unexpected(std::string_view expected) const {
    return Fail(Format("expected {}, found {}", expected, Describe(current())));
  }
  Error Fail(std::string what) const {
    return TemplateError(std::move(what), Format("line {}", line()));
  }

 private:
  bool At(TokenKind kind, std::string_view text) const {
    return current().kind == kind && current().text == text;
  }
  bool TakeIf(bool condition) {
    if (condition) Take();
    return condition;
  }
  static std::string Describe(const Token& token) {
    switch (token.kind) {
      case TokenKind::kText:
        return "text";
      case TokenKind::kPrintBegin:
        return "\"{{\"";
      case TokenKind::kPrintEnd:
        return "\"}}\"";
      case TokenKind::kBlockBegin:
        return "\"{%\"";
      case TokenKind::kBlockEnd:
        return "\"%}\"";
      case TokenKind::kString:
        return "a string";
      case TokenKind::kEnd:
        return "the end of the template";
      default:
        return Format("\"{}\"", token.text);
    }
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_TOKEN_STREAM_H_
