#include "text/jinja_lexer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_error.h"
#include "text/jinja_string_literal.h"
#include "text/jinja_strings.h"
#include "text/marked_text.h"
#include "text/utf8.h"

namespace fathom::jinja {
namespace {

// Longer ones first.
constexpr std::string_view kOperators[] = {"//", "**", "==", "!=", "<=", ">=", "+", "-", "/",
                                           "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                           ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

std::string NormalizeLineEnds(std::string_view source) {
  std::string out;
  for (size_t at = 0; at < source.size(); ++at) {
    if (source[at] != '\r') {
      out += source[at];
    } else {
      out += '\n';
      if (at + 1 < source.size() && source[at + 1] == '\n') ++at;
    }
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)), view_(source_) {}

  Result<std::vector<Token>> Run() {
    while (at_ < view_.size()) {
      Status status = NextTag();
      if (!status.ok()) return Within(Format("line {}", line_), std::move(status).error());
    }
    Emit(TokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  void Emit(TokenKind kind, std::string_view text) {
    tokens_.push_back({kind, std::string(text), line_});
  }
  void MoveTo(size_t to) {
    line_ += static_cast<int>(std::count(view_.begin() + static_cast<ptrdiff_t>(at_),
                                         view_.begin() + static_cast<ptrdiff_t>(to), '\n'));
    at_ = to;
  }
  bool LooksAt(size_t at, std::string_view text) const {
    return view_.substr(std::min(at, view_.size())).starts_with(text);
  }
  size_t SkipSpace(size_t at) const {
    while (at < view_.size()) {
      const CodePoint character = DecodeUtf8(view_, at);
      if (!character.valid || !IsPythonSpace(character.value)) break;
      at += character.length;
    }
    return at;
  }
  char SignAt(size_t at) const {
    return at < view_.size() && (view_[at] == '-' || view_[at] == '+') ? view_[at] : ' ';
  }

  // Text up to the next tag, and the tag.
  Status NextTag() {
    size_t open = at_;
    do {
      open = view_.find('{', open);
      if (open == std::string_view::npos) break;
      const char kind = open + 1 < view_.size() ? view_[open + 1] : ' ';
      if (kind == '{' || kind == '%' || kind == '#') break;
      ++open;
    } while (true);
    if (open == std::string_view::npos) {
      Emit(TokenKind::kText, view_.substr(at_));
      MoveTo(view_.size());
      return Ok();
    }
    const char sign = SignAt(open + 2);
    EmitText(open, sign, /*may_lstrip=*/view_[open + 1] != '{');
    const size_t inside = open + (sign == ' ' ? 2 : 3);
    if (view_[open + 1] == '#') return Comment(inside);
    if (view_[open + 1] == '{') return Tag(inside, TokenKind::kPrintBegin, TokenKind::kPrintEnd);
    const size_t raw = RawBegin(inside);
    if (raw != std::string_view::npos) return Raw(raw);
    return Tag(inside, TokenKind::kBlockBegin, TokenKind::kBlockEnd);
  }

  // The text from here to a tag at `end`, less what the tag's sign or lstrip_blocks takes.
  void EmitText(size_t end, char sign, bool may_lstrip) {
    std::string_view text = view_.substr(at_, end - at_);
    if (sign == '-') {
      text = text.substr(0, TrimmedSize(text));
    } else if (sign == ' ' && may_lstrip) {
      const size_t last_line = text.find_last_of('\n') + 1;  // npos + 1 is 0
      const bool begins_line = last_line > 0 || line_starting_;
      if (begins_line && TrimmedSize(text.substr(last_line)) == 0) text = text.substr(0, last_line);
    }
    if (!text.empty()) Emit(TokenKind::kText, text);
    MoveTo(end);
    line_starting_ = false;
  }
  static size_t TrimmedSize(std::string_view text) {
    return Strip(MarkedText(text, false), Side::kRight, std::nullopt).size();
  }

  // Past the end of a tag or comment that closes at `close` ("%}", "#}"), with what it takes after
  // it: a '-' all space, nothing one line end.
  void Close(size_t close, char sign, bool trims_line) {
    size_t next = close + 2;
    if (sign == '-') {
      next = SkipSpace(next);
    } else if (sign == ' ' && trims_line && LooksAt(next, "\n")) {
      ++next;
    }
    line_starting_ = view_[next - 1] == '\n';
    MoveTo(next);
  }

  Status Comment(size_t inside) {
    const size_t close = view_.find("#}", inside);
    if (close == std::string_view::npos) return TemplateError("comment without its end, #}");
    Close(close, close > inside ? SignAt(close - 1) : ' ', /*trims_line=*/true);
    return Ok();
  }

  // Where the text of a raw block begins if the tag's inside is one; else npos.
  size_t RawBegin(size_t inside) const {
    size_t at = SkipSpace(inside);
    if (!LooksAt(at, "raw")) return std::string_view::npos;
    at = SkipSpace(at + 3);
    if (LooksAt(at, "-%}")) return SkipSpace(at + 3);
    return LooksAt(at, "%}") ? at + 2 : std::string_view::npos;
  }

  Status Raw(size_t begin) {
    const int first_line = line_;
    MoveTo(begin);
    line_starting_ = view_[begin - 1] == '\n';
    for (size_t open = view_.find("{%", begin); open != std::string_view::npos;
         open = view_.find("{%", open + 2)) {
      const char sign = SignAt(open + 2);
      size_t at = SkipSpace(open + (sign == ' ' ? 2 : 3));
      if (!LooksAt(at, "endraw")) continue;
      at = SkipSpace(at + 6);
      const char end_sign = SignAt(at);
      const size_t close = end_sign == ' ' ? at : at + 1;
      if (!LooksAt(close, "%}")) continue;
      EmitText(open, sign, /*may_lstrip=*/true);
      Close(close, end_sign, /*trims_line=*/true);
      return Ok();
    }
    line_ = first_line;
    return TemplateError("raw block without its endraw");
  }

  Status Tag(size_t inside, TokenKind begin, TokenKind end) {
    Emit(begin, "");
    MoveTo(inside);
    const bool block = begin == TokenKind::kBlockBegin;
    const std::string_view closing = block ? "%}" : "}}";
    std::string open_brackets;
    while (true) {
      MoveTo(SkipSpace(at_));
      if (at_ == view_.size()) {
        return TemplateError(Format("a tag without its end, {}", closing));
      }
      if (open_brackets.empty()) {
        const char sign = block || view_[at_] == '-' ? SignAt(at_) : ' ';
        const size_t close = sign == ' ' ? at_ : at_ + 1;
        if (LooksAt(close, closing)) {
          Emit(end, "");
          Close(close, sign, /*trims_line=*/block);
          return Ok();
        }
      }
      FATHOM_OK(NextInTag(open_brackets));
    }
  }

  Status NextInTag(std::string& open_brackets) {
    const char c = view_[at_];
    if (IsDigit(c)) {
      Number();
      return Ok();
    }
    if (IsNameStart(c)) {
      size_t end = at_;
      while (end < view_.size() && IsNamePart(view_[end])) ++end;
      Emit(TokenKind::kName, view_.substr(at_, end - at_));
      MoveTo(end);
      return Ok();
    }
    if (c == '\'' || c == '"') return StringLiteral(c);
    for (const std::string_view op : kOperators) {
      if (!LooksAt(at_, op)) continue;
      FATHOM_OK(Balance(op, open_brackets));
      Emit(TokenKind::kOperator, op);
      MoveTo(at_ + op.size());
      return Ok();
    }
    const size_t length = DecodeUtf8(view_, at_).length;
    return TemplateError(Format("unexpected character \"{}\"", view_.substr(at_, length)));
  }

  static Status Balance(std::string_view op, std::string& open_brackets) {
    if (op == "(" || op == "[" || op == "{") open_brackets += op;
    if (op != ")" && op != "]" && op != "}") return Ok();
    const char expected = op == ")" ? '(' : (op == "]" ? '[' : '{');
    if (open_brackets.empty() || open_brackets.back() != expected) {
      return TemplateError(Format("\"{}\" closes no \"{}\"", op, std::string(1, expected)));
    }
    open_brackets.pop_back();
    return Ok();
  }

  // Digits, which may have single _ between them.
  size_t DigitsEnd(size_t at) const {
    while (at < view_.size() && (IsDigit(view_[at]) || (view_[at] == '_' && at + 1 < view_.size() &&
                                                        IsDigit(view_[at + 1])))) {
      ++at;
    }
    return at;
  }
  bool DigitAt(size_t at) const { return at < view_.size() && IsDigit(view_[at]); }

  void Number() {
    size_t end = DigitsEnd(at_);
    bool whole = true;
    const bool after_dot = at_ > 0 && view_[at_ - 1] == '.';  // x.0.1 is x[0][1]
    if (!after_dot && LooksAt(end, ".") && DigitAt(end + 1)) {
      end = DigitsEnd(end + 1);
      whole = false;
    }
    if (!after_dot && end < view_.size() && (view_[end] == 'e' || view_[end] == 'E')) {
      const size_t digits = end + 1 + (SignAt(end + 1) == ' ' ? 0 : 1);
      if (DigitAt(digits)) {
        end = DigitsEnd(digits);
        whole = false;
      }
    }
    std::string text(view_.substr(at_, end - at_));
    std::erase(text, '_');
    Emit(whole ? TokenKind::kInteger : TokenKind::kFloat, text);
    MoveTo(end);
  }

  Status StringLiteral(char quote) {
    size_t end = at_ + 1;
    while (end < view_.size() && view_[end] != quote) end += view_[end] == '\\' ? 2 : 1;
    if (end >= view_.size()) return TemplateError("a string without its end");
    FATHOM_TRY(const std::string text, UnescapeString(view_.substr(at_ + 1, end - at_ - 1)));
    Emit(TokenKind::kString, text);
    MoveTo(end + 1);
    return Ok();
  }

  std::string source_;
  std::string_view view_;
  size_t at_ = 0;
  int line_ = 1;
  bool line_starting_ = true;  // what was read last ended in a line end
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> Tokenize(std::string_view source) {
  return Lexer(NormalizeLineEnds(source)).Run();
}

}  // namespace fathom::jinja
