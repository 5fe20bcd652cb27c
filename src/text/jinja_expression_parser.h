#ifndef FATHOM_TEXT_JINJA_EXPRESSION_PARSER_H_
#define FATHOM_TEXT_JINJA_EXPRESSION_PARSER_H_

#include <utility>
#include <vector>

#include "base/result.h"
#include "text/jinja_ast.h"
#include "text/jinja_token_stream.h"

namespace fathom::jinja {

// Parses expressions by recursive descent, with Jinja's precedence: if-else, or, and, not,
// comparisons, + -, ~, * / // %, **, unary signs, and tightest . [] () | is.
class ExpressionParser {
 public:
  // Nesting that is accepted; it bounds the recursion here and in the evaluator.
  static constexpr int kMostNesting = 100;

  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  Result<ExpressionPtr> Parse() { return ParseConditional(/*allow_if=*/true); }
  // Without a trailing if-else: what a for goes over, whose "if" is its own.
  Result<ExpressionPtr> ParseWithoutIf() { return ParseTuple(/*allow_if=*/false); }
  // Commas make a tuple.
  Result<ExpressionPtr> ParseTuple(bool allow_if = true);
  // "| trim | upper" after a set block; each filter's input is the one before.
  Result<std::vector<ExpressionPtr>> ParseFilterChain();

 private:
  using Rule = Result<ExpressionPtr> (ExpressionParser::*)();
  using Operators = std::vector<std::pair<const char*, BinaryOperator>>;

  Result<ExpressionPtr> ParseConditional(bool allow_if);
  Result<ExpressionPtr> ParseOr();
  Result<ExpressionPtr> ParseAnd();
  Result<ExpressionPtr> ParseNot();
  Result<ExpressionPtr> ParseComparison();
  Result<ExpressionPtr> ParseSum();
  Result<ExpressionPtr> ParseConcatenation();
  Result<ExpressionPtr> ParseProduct();
  Result<ExpressionPtr> ParsePower();
  Result<ExpressionPtr> ParseFiltered();
  Result<ExpressionPtr> ParseUnary();
  Result<ExpressionPtr> ParsePrimary();
  Result<ExpressionPtr> ParseName();
  Result<ExpressionPtr> ParseNumber();
  Result<ExpressionPtr> ParseParenthesis();
  Result<ExpressionPtr> ParseList();
  Result<ExpressionPtr> ParseDict();
  Result<ExpressionPtr> ParsePostfix(ExpressionPtr object);
  Result<ExpressionPtr> ParseDot(ExpressionPtr object);
  Result<ExpressionPtr> ParseBrackets(ExpressionPtr object);
  Result<ExpressionPtr> ParseFilter(ExpressionPtr input);
  Result<ExpressionPtr> ParsePredicate(ExpressionPtr input);
  Result<CallArguments> ParseArguments();
  Result<ExpressionPtr> ParseLeftAssociative(Rule operand, const Operators& operators);
  Result<bool> TakeComparison(Comparison& comparison);

  template <typename Node>
  Result<ExpressionPtr> Make(int line, Node node);

  TokenStream& tokens_;
  int nesting_ = 0;
};

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_EXPRESSION_PARSER_H_
