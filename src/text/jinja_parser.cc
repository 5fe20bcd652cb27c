#include "text/jinja_parser.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_ast.h"
#include "text/jinja_error.h"
#include "text/jinja_expression_parser.h"
#include "text/jinja_lexer.h"
#include "text/jinja_token_stream.h"

namespace fathom::jinja {
namespace {

// Blocks inside blocks; it bounds the recursion here and in the evaluator.
constexpr int kMostBlocks = 50;

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)), expressions_(tokens_) {}

  Result<Block> ParseAll() {
    FATHOM_TRY(Block block, ParseUntil({}));
    if (tokens_.current().kind == TokenKind::kEnd) return block;
    return tokens_.Fail(Format("\"{}\" without its beginning", tokens_.current().text));
  }

 private:
  using Names = std::initializer_list<std::string_view>;

  // Statements up to a tag with one of these names (which stays, "{%" is taken) or the end.
  Result<Block> ParseUntil(Names ends) {
    if (++depth_ > kMostBlocks) {
      return tokens_.Fail(Format("blocks nested deeper than {} levels", kMostBlocks));
    }
    Block block;
    while (tokens_.current().kind != TokenKind::kEnd) {
      const Token token = tokens_.Take();
      if (token.kind == TokenKind::kText) {
        block.push_back({token.line, TextStatement{token.text}});
      } else if (token.kind == TokenKind::kPrintBegin) {
        FATHOM_TRY(ExpressionPtr value, expressions_.ParseTuple());
        FATHOM_OK(tokens_.Expect(TokenKind::kPrintEnd));
        block.push_back({token.line, PrintStatement{std::move(value)}});
      } else {
        const bool at_end = std::any_of(ends.begin(), ends.end(), [this](std::string_view name) {
          return tokens_.AtName(name);
        });
        if (at_end) break;
        FATHOM_OK(ParseTag(block));
      }
    }
    --depth_;
    return block;
  }

  // The same inside a block that has to end; takes the tag's end name if it is the last of `ends`.
  Result<Block> ParseBody(std::string_view tag, int line, Names ends) {
    FATHOM_OK(tokens_.Expect(TokenKind::kBlockEnd));
    FATHOM_TRY(Block block, ParseUntil(ends));
    if (tokens_.current().kind != TokenKind::kEnd) return block;
    return TemplateError(Format("\"{}\" without its \"end{}\"", tag, tag), Format("line {}", line));
  }
  Result<std::unique_ptr<Block>> ParseOwnBody(std::string_view tag, int line, Names ends) {
    FATHOM_TRY(Block block, ParseBody(tag, line, ends));
    return std::make_unique<Block>(std::move(block));
  }
  Status ExpectTagEnd(std::string_view name) {
    FATHOM_OK(tokens_.ExpectName(name));
    return tokens_.Expect(TokenKind::kBlockEnd);
  }

  Status ParseTag(Block& block) {
    using Rule = Status (Parser::*)(Block&, int);
    constexpr std::pair<std::string_view, Rule> kTags[] = {
        {"for", &Parser::ParseFor},          {"if", &Parser::ParseIf},
        {"set", &Parser::ParseSet},          {"macro", &Parser::ParseMacro},
        {"break", &Parser::ParseBreak},      {"continue", &Parser::ParseContinue},
        {"generation", &Parser::ParsePlain},
    };
    for (const auto& [name, rule] : kTags) {
      if (!tokens_.AtName(name)) continue;
      const int line = tokens_.Take().line;
      return (this->*rule)(block, line);
    }
    if (tokens_.current().kind != TokenKind::kName) return tokens_.Unexpected("a tag's name");
    const std::string& name = tokens_.current().text;
    if (name.starts_with("end") || name.starts_with("el")) {
      return tokens_.Fail(Format("\"{}\" without its beginning", name));
    }
    return tokens_.Fail(Format("tag \"{}\" is not supported", name));
  }

  Status ParseFor(Block& block, int line) {
    ForStatement statement;
    FATHOM_TRY(statement.target, ParseTarget(/*allow_attribute=*/false));
    FATHOM_OK(tokens_.ExpectName("in"));
    FATHOM_TRY(statement.items, expressions_.ParseWithoutIf());
    if (tokens_.TakeName("if")) {
      FATHOM_TRY(statement.condition, expressions_.Parse());
    }
    if (tokens_.AtName("recursive")) return tokens_.Fail("\"recursive\" is not supported");
    ++loops_;
    FATHOM_TRY(statement.body, ParseOwnBody("for", line, {"else", "endfor"}));
    --loops_;
    if (tokens_.TakeName("else")) {
      FATHOM_TRY(statement.otherwise, ParseOwnBody("for", line, {"endfor"}));
    }
    FATHOM_OK(ExpectTagEnd("endfor"));
    block.push_back({line, std::move(statement)});
    return Ok();
  }

  Status ParseIf(Block& block, int line) {
    IfStatement statement;
    do {
      FATHOM_TRY(ExpressionPtr condition, expressions_.ParseTuple());
      FATHOM_TRY(Block body, ParseBody("if", line, {"elif", "else", "endif"}));
      statement.branches.emplace_back(std::move(condition), std::move(body));
    } while (tokens_.TakeName("elif"));
    if (tokens_.TakeName("else")) {
      FATHOM_TRY(statement.otherwise, ParseBody("if", line, {"endif"}));
    }
    FATHOM_OK(ExpectTagEnd("endif"));
    block.push_back({line, std::move(statement)});
    return Ok();
  }

  Status ParseSet(Block& block, int line) {
    SetStatement statement;
    FATHOM_TRY(statement.target, ParseTarget(/*allow_attribute=*/true));
    if (tokens_.TakeOperator("=")) {
      FATHOM_TRY(statement.value, expressions_.ParseTuple());
      FATHOM_OK(tokens_.Expect(TokenKind::kBlockEnd));
    } else {
      FATHOM_TRY(statement.filters, expressions_.ParseFilterChain());
      FATHOM_TRY(statement.body, ParseOwnBody("set", line, {"endset"}));
      FATHOM_OK(ExpectTagEnd("endset"));
    }
    block.push_back({line, std::move(statement)});
    return Ok();
  }

  Status ParseMacro(Block& block, int line) {
    MacroStatement statement;
    FATHOM_TRY(statement.name, tokens_.ExpectAnyName());
    FATHOM_OK(tokens_.ExpectOperator("("));
    while (!tokens_.TakeOperator(")")) {
      if (!statement.parameters.empty()) FATHOM_OK(tokens_.ExpectOperator(","));
      FATHOM_TRY(std::string name, tokens_.ExpectAnyName());
      ExpressionPtr fallback;
      if (tokens_.TakeOperator("=")) {
        FATHOM_TRY(fallback, expressions_.Parse());
      }
      statement.parameters.emplace_back(std::move(name), std::move(fallback));
    }
    const int loops_outside = std::exchange(loops_, 0);
    FATHOM_TRY(statement.body, ParseOwnBody("macro", line, {"endmacro"}));
    loops_ = loops_outside;
    FATHOM_OK(ExpectTagEnd("endmacro"));
    block.push_back({line, std::move(statement)});
    return Ok();
  }

  Status ParseBreak(Block& block, int line) { return ParseJump(block, line, BreakStatement{}); }
  Status ParseContinue(Block& block, int line) {
    return ParseJump(block, line, ContinueStatement{});
  }
  template <typename Node>
  Status ParseJump(Block& block, int line, Node node) {
    if (loops_ == 0) return tokens_.Fail("break or continue outside of a for");
    block.push_back({line, node});
    return tokens_.Expect(TokenKind::kBlockEnd);
  }

  Status ParsePlain(Block& block, int line) {
    PlainBlockStatement statement;
    FATHOM_TRY(statement.body, ParseOwnBody("generation", line, {"endgeneration"}));
    FATHOM_OK(ExpectTagEnd("endgeneration"));
    block.push_back({line, std::move(statement)});
    return Ok();
  }

  // "a", "a, b", "(a, b)", "ns.a".
  Result<Target> ParseTarget(bool allow_attribute) {
    Target target;
    const bool in_parentheses = tokens_.TakeOperator("(");
    do {
      if (!target.names.empty() && tokens_.AtName("in")) break;  // "a, in"
      FATHOM_TRY(std::string name, tokens_.ExpectAnyName());
      target.names.push_back(std::move(name));
      target.unpacks = target.unpacks || tokens_.AtOperator(",");
    } while (tokens_.TakeOperator(","));
    if (in_parentheses) FATHOM_OK(tokens_.ExpectOperator(")"));
    if (allow_attribute && target.names.size() == 1 && tokens_.TakeOperator(".")) {
      FATHOM_TRY(target.attribute, tokens_.ExpectAnyName());
    }
    return target;
  }

  TokenStream tokens_;
  ExpressionParser expressions_;
  int depth_ = 0;
  int loops_ = 0;  // for blocks around this place
};

}  // namespace

Result<Block> ParseTemplate(std::string_view source) {
  FATHOM_TRY(std::vector<Token> tokens, Tokenize(source));
  return Parser(std::move(tokens)).ParseAll();
}

}  // namespace fathom::jinja
