#include "text/jinja_expression_parser.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_ast.h"
#include "text/jinja_error.h"
#include "text/jinja_filters.h"
#include "text/jinja_lexer.h"
#include "text/jinja_predicates.h"
#include "text/jinja_token_stream.h"
#include "text/jinja_value.h"

namespace fathom::jinja {
namespace {

// Words that cannot be an argument without parentheses: `x is defined and y`.
constexpr std::string_view kConnectives[] = {"and", "or", "not", "if", "else", "in", "is"};

bool IsConnective(std::string_view name) {
  return std::find(std::begin(kConnectives), std::end(kConnectives), name) !=
         std::end(kConnectives);
}

// How deep the expressions inside a node are nested. Chains like a + b + c nest as well, although
// the parser loops over them: the evaluator and the destructor do not.
int Depth(const ExpressionPtr& expression) { return expression == nullptr ? 0 : expression->depth; }
int Depth(const std::vector<ExpressionPtr>& list) {
  int depth = 0;
  for (const ExpressionPtr& item : list) depth = std::max(depth, Depth(item));
  return depth;
}
int Depth(const CallArguments& arguments) {
  int depth = Depth(arguments.positional);
  for (const auto& [name, value] : arguments.named) depth = std::max(depth, Depth(value));
  return depth;
}
int DepthInside(const Literal& /*node*/) { return 0; }
int DepthInside(const Name& /*node*/) { return 0; }
int DepthInside(const ListLiteral& node) { return Depth(node.items); }
int DepthInside(const DictLiteral& node) {
  int depth = 0;
  for (const auto& [key, value] : node.members) {
    depth = std::max({depth, Depth(key), Depth(value)});
  }
  return depth;
}
int DepthInside(const Attribute& node) { return Depth(node.object); }
int DepthInside(const Subscript& node) { return std::max(Depth(node.object), Depth(node.index)); }
int DepthInside(const Slice& node) {
  return std::max({Depth(node.object), Depth(node.begin), Depth(node.end), Depth(node.step)});
}
int DepthInside(const Call& node) { return std::max(Depth(node.callee), Depth(node.arguments)); }
int DepthInside(const FilterCall& node) {
  return std::max(Depth(node.input), Depth(node.arguments));
}
int DepthInside(const PredicateCall& node) {
  return std::max(Depth(node.input), Depth(node.arguments));
}
int DepthInside(const Unary& node) { return Depth(node.operand); }
int DepthInside(const Binary& node) { return std::max(Depth(node.left), Depth(node.right)); }
int DepthInside(const Compared& node) {
  int depth = Depth(node.first);
  for (const auto& [comparison, operand] : node.rest) depth = std::max(depth, Depth(operand));
  return depth;
}
int DepthInside(const Conditional& node) {
  return std::max({Depth(node.condition), Depth(node.then), Depth(node.otherwise)});
}

Error TooDeep(int line) {
  return TemplateError(
      Format("expressions nested deeper than {} levels", ExpressionParser::kMostNesting),
      Format("line {}", line));
}

class Nested {
 public:
  explicit Nested(int& depth) : depth_(depth) { ++depth_; }
  ~Nested() { --depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  bool TooDeep() const { return depth_ > ExpressionParser::kMostNesting; }

 private:
  int& depth_;
};

}  // namespace

template <typename Node>
Result<ExpressionPtr> ExpressionParser::Make(int line, Node node) {
  const int depth = DepthInside(node) + 1;
  if (depth > kMostNesting) return TooDeep(line);
  auto expression = std::make_unique<Expression>();
  expression->line = line;
  expression->depth = depth;
  expression->node = std::move(node);
  return expression;
}

Result<ExpressionPtr> ExpressionParser::ParseConditional(bool allow_if) {
  const Nested nested(nesting_);
  if (nested.TooDeep()) return TooDeep(tokens_.line());
  FATHOM_TRY(ExpressionPtr value, ParseOr());
  while (allow_if && tokens_.AtName("if")) {
    const int line = tokens_.Take().line;
    FATHOM_TRY(ExpressionPtr condition, ParseOr());
    ExpressionPtr otherwise;
    if (tokens_.TakeName("else")) {
      FATHOM_TRY(otherwise, ParseConditional(true));
    }
    FATHOM_TRY(value, Make(line, Conditional{std::move(condition), std::move(value),
                                             std::move(otherwise)}));
  }
  return value;
}

Result<ExpressionPtr> ExpressionParser::ParseTuple(bool allow_if) {
  const int line = tokens_.line();
  FATHOM_TRY(ExpressionPtr first, ParseConditional(allow_if));
  if (!tokens_.AtOperator(",")) return first;
  ListLiteral tuple{{}, /*is_tuple=*/true};
  tuple.items.push_back(std::move(first));
  while (tokens_.TakeOperator(",")) {
    const bool ends = tokens_.current().kind == TokenKind::kPrintEnd ||
                      tokens_.current().kind == TokenKind::kBlockEnd || tokens_.AtOperator(")");
    if (ends) break;
    FATHOM_TRY(ExpressionPtr item, ParseConditional(allow_if));
    tuple.items.push_back(std::move(item));
  }
  return Make(line, std::move(tuple));
}

Result<ExpressionPtr> ExpressionParser::ParseLeftAssociative(Rule operand,
                                                             const Operators& operators) {
  FATHOM_TRY(ExpressionPtr left, (this->*operand)());
  while (true) {
    const auto found = std::find_if(operators.begin(), operators.end(), [&](const auto& entry) {
      return tokens_.AtOperator(entry.first) || tokens_.AtName(entry.first);
    });
    if (found == operators.end()) return left;
    const int line = tokens_.Take().line;
    FATHOM_TRY(ExpressionPtr right, (this->*operand)());
    FATHOM_TRY(left, Make(line, Binary{found->second, std::move(left), std::move(right)}));
  }
}

Result<ExpressionPtr> ExpressionParser::ParseOr() {
  return ParseLeftAssociative(&ExpressionParser::ParseAnd, {{"or", BinaryOperator::kOr}});
}
Result<ExpressionPtr> ExpressionParser::ParseAnd() {
  return ParseLeftAssociative(&ExpressionParser::ParseNot, {{"and", BinaryOperator::kAnd}});
}

Result<ExpressionPtr> ExpressionParser::ParseNot() {
  if (!tokens_.AtName("not")) return ParseComparison();
  const Nested nested(nesting_);
  if (nested.TooDeep()) return TooDeep(tokens_.line());
  const int line = tokens_.Take().line;
  FATHOM_TRY(ExpressionPtr operand, ParseNot());
  return Make(line, Unary{UnaryOperator::kNot, std::move(operand)});
}

Result<bool> ExpressionParser::TakeComparison(Comparison& comparison) {
  constexpr std::pair<const char*, Comparison> kOperators[] = {
      {"==", Comparison::kEqual},     {"!=", Comparison::kNotEqual},
      {"<=", Comparison::kLessEqual}, {">=", Comparison::kGreaterEqual},
      {"<", Comparison::kLess},       {">", Comparison::kGreater}};
  for (const auto& [op, meaning] : kOperators) {
    if (!tokens_.TakeOperator(op)) continue;
    comparison = meaning;
    return true;
  }
  if (tokens_.TakeName("in")) {
    comparison = Comparison::kIn;
    return true;
  }
  if (!tokens_.AtName("not") || tokens_.next().text != "in") return false;
  tokens_.Take();
  FATHOM_OK(tokens_.ExpectName("in"));
  comparison = Comparison::kNotIn;
  return true;
}

Result<ExpressionPtr> ExpressionParser::ParseComparison() {
  const int line = tokens_.line();
  FATHOM_TRY(ExpressionPtr first, ParseSum());
  Compared compared;
  while (true) {
    Comparison comparison = Comparison::kEqual;
    FATHOM_TRY(const bool more, TakeComparison(comparison));
    if (!more) break;
    FATHOM_TRY(ExpressionPtr operand, ParseSum());
    compared.rest.emplace_back(comparison, std::move(operand));
  }
  if (compared.rest.empty()) return first;
  compared.first = std::move(first);
  return Make(line, std::move(compared));
}

Result<ExpressionPtr> ExpressionParser::ParseSum() {
  return ParseLeftAssociative(&ExpressionParser::ParseConcatenation,
                              {{"+", BinaryOperator::kAdd}, {"-", BinaryOperator::kSubtract}});
}
Result<ExpressionPtr> ExpressionParser::ParseConcatenation() {
  return ParseLeftAssociative(&ExpressionParser::ParseProduct,
                              {{"~", BinaryOperator::kConcatenate}});
}
Result<ExpressionPtr> ExpressionParser::ParseProduct() {
  return ParseLeftAssociative(&ExpressionParser::ParsePower, {{"*", BinaryOperator::kMultiply},
                                                              {"/", BinaryOperator::kDivide},
                                                              {"//", BinaryOperator::kFloorDivide},
                                                              {"%", BinaryOperator::kModulo}});
}
// Jinja's ** takes the left pair first, unlike Python's.
Result<ExpressionPtr> ExpressionParser::ParsePower() {
  return ParseLeftAssociative(&ExpressionParser::ParseFiltered, {{"**", BinaryOperator::kPower}});
}

Result<ExpressionPtr> ExpressionParser::ParseFiltered() {
  FATHOM_TRY(ExpressionPtr value, ParseUnary());
  while (true) {
    if (tokens_.TakeOperator("|")) {
      FATHOM_TRY(value, ParseFilter(std::move(value)));
    } else if (tokens_.TakeName("is")) {
      FATHOM_TRY(value, ParsePredicate(std::move(value)));
    } else if (tokens_.AtOperator("(")) {
      FATHOM_TRY(value, ParsePostfix(std::move(value)));
    } else {
      return value;
    }
  }
}

Result<ExpressionPtr> ExpressionParser::ParseUnary() {
  const bool minus = tokens_.AtOperator("-");
  if (!minus && !tokens_.AtOperator("+")) {
    FATHOM_TRY(ExpressionPtr primary, ParsePrimary());
    return ParsePostfix(std::move(primary));
  }
  const Nested nested(nesting_);
  if (nested.TooDeep()) return TooDeep(tokens_.line());
  const int line = tokens_.Take().line;
  FATHOM_TRY(ExpressionPtr operand, ParseUnary());
  return Make(line,
              Unary{minus ? UnaryOperator::kMinus : UnaryOperator::kPlus, std::move(operand)});
}

Result<ExpressionPtr> ExpressionParser::ParsePrimary() {
  const int line = tokens_.line();
  switch (tokens_.current().kind) {
    case TokenKind::kName:
      return ParseName();
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return ParseNumber();
    case TokenKind::kString: {
      std::string text;
      while (tokens_.current().kind == TokenKind::kString) text += tokens_.Take().text;
      return Make(line, Literal{Value::String(text)});
    }
    default:
      break;
  }
  if (tokens_.AtOperator("(")) return ParseParenthesis();
  if (tokens_.AtOperator("[")) return ParseList();
  if (tokens_.AtOperator("{")) return ParseDict();
  return tokens_.Unexpected("an expression");
}

Result<ExpressionPtr> ExpressionParser::ParseName() {
  if (IsConnective(tokens_.current().text)) return tokens_.Unexpected("an expression");
  const Token token = tokens_.Take();
  if (token.text == "true" || token.text == "True") {
    return Make(token.line, Literal{Value::Bool(true)});
  }
  if (token.text == "false" || token.text == "False") {
    return Make(token.line, Literal{Value::Bool(false)});
  }
  if (token.text == "none" || token.text == "None") return Make(token.line, Literal{Value()});
  return Make(token.line, Name{token.text});
}

Result<ExpressionPtr> ExpressionParser::ParseNumber() {
  const Error too_large = tokens_.Fail(Format("number {} is too large", tokens_.current().text));
  const Token token = tokens_.Take();
  const char* begin = token.text.data();
  const char* end = begin + token.text.size();
  if (token.kind == TokenKind::kInteger) {
    int64_t value = 0;
    if (std::from_chars(begin, end, value).ec != std::errc()) return too_large;
    return Make(token.line, Literal{Value::Int(value)});
  }
  double value = 0;
  if (std::from_chars(begin, end, value).ec != std::errc()) return too_large;
  return Make(token.line, Literal{Value::Float(value)});
}

Result<ExpressionPtr> ExpressionParser::ParseParenthesis() {
  const int line = tokens_.Take().line;
  if (tokens_.TakeOperator(")")) return Make(line, ListLiteral{{}, /*is_tuple=*/true});
  FATHOM_TRY(ExpressionPtr inside, ParseTuple());
  FATHOM_OK(tokens_.ExpectOperator(")"));
  return inside;
}

Result<ExpressionPtr> ExpressionParser::ParseList() {
  const int line = tokens_.Take().line;
  ListLiteral list;
  while (!tokens_.TakeOperator("]")) {
    if (!list.items.empty()) {
      FATHOM_OK(tokens_.ExpectOperator(","));
      if (tokens_.TakeOperator("]")) break;
    }
    FATHOM_TRY(ExpressionPtr item, Parse());
    list.items.push_back(std::move(item));
  }
  return Make(line, std::move(list));
}

Result<ExpressionPtr> ExpressionParser::ParseDict() {
  const int line = tokens_.Take().line;
  DictLiteral dict;
  while (!tokens_.TakeOperator("}")) {
    if (!dict.members.empty()) {
      FATHOM_OK(tokens_.ExpectOperator(","));
      if (tokens_.TakeOperator("}")) break;
    }
    FATHOM_TRY(ExpressionPtr key, Parse());
    FATHOM_OK(tokens_.ExpectOperator(":"));
    FATHOM_TRY(ExpressionPtr value, Parse());
    dict.members.emplace_back(std::move(key), std::move(value));
  }
  return Make(line, std::move(dict));
}

Result<ExpressionPtr> ExpressionParser::ParsePostfix(ExpressionPtr object) {
  while (true) {
    const int line = tokens_.line();
    if (tokens_.TakeOperator(".")) {
      FATHOM_TRY(object, ParseDot(std::move(object)));
    } else if (tokens_.TakeOperator("[")) {
      FATHOM_TRY(object, ParseBrackets(std::move(object)));
    } else if (tokens_.AtOperator("(")) {
      FATHOM_TRY(CallArguments arguments, ParseArguments());
      FATHOM_TRY(object, Make(line, Call{std::move(object), std::move(arguments)}));
    } else {
      return object;
    }
  }
}

Result<ExpressionPtr> ExpressionParser::ParseDot(ExpressionPtr object) {
  const int line = tokens_.line();
  if (tokens_.current().kind == TokenKind::kInteger) {
    FATHOM_TRY(ExpressionPtr index, ParseNumber());
    return Make(line, Subscript{std::move(object), std::move(index)});
  }
  FATHOM_TRY(std::string name, tokens_.ExpectAnyName());
  return Make(line, Attribute{std::move(object), std::move(name)});
}

Result<ExpressionPtr> ExpressionParser::ParseBrackets(ExpressionPtr object) {
  const int line = tokens_.line();
  ExpressionPtr parts[3];
  int colons = 0;
  while (!tokens_.AtOperator("]")) {
    if (colons < 2 && tokens_.TakeOperator(":")) {
      ++colons;
      continue;
    }
    if (parts[colons] != nullptr) return tokens_.Unexpected("\"]\"");
    FATHOM_TRY(parts[colons], Parse());
  }
  if (colons == 0 && parts[0] == nullptr) return tokens_.Unexpected("an expression");
  tokens_.Take();
  if (colons == 0) return Make(line, Subscript{std::move(object), std::move(parts[0])});
  return Make(line, Slice{std::move(object), std::move(parts[0]), std::move(parts[1]),
                          std::move(parts[2])});
}

Result<CallArguments> ExpressionParser::ParseArguments() {
  FATHOM_OK(tokens_.ExpectOperator("("));
  CallArguments arguments;
  bool first = true;
  while (!tokens_.TakeOperator(")")) {
    if (!first) {
      FATHOM_OK(tokens_.ExpectOperator(","));
      if (tokens_.TakeOperator(")")) break;
    }
    first = false;
    if (tokens_.AtOperator("*") || tokens_.AtOperator("**")) {
      return tokens_.Fail("arguments with * or ** are not supported");
    }
    const bool named = tokens_.current().kind == TokenKind::kName &&
                       tokens_.next().kind == TokenKind::kOperator && tokens_.next().text == "=";
    std::string name;
    if (named) {
      name = tokens_.Take().text;
      tokens_.Take();
    }
    FATHOM_TRY(ExpressionPtr value, Parse());
    if (named) {
      arguments.named.emplace_back(std::move(name), std::move(value));
    } else if (arguments.named.empty()) {
      arguments.positional.push_back(std::move(value));
    } else {
      return tokens_.Fail("an argument without a name after one with a name");
    }
  }
  return arguments;
}

Result<ExpressionPtr> ExpressionParser::ParseFilter(ExpressionPtr input) {
  const int line = tokens_.line();
  FATHOM_TRY(const std::string name, tokens_.ExpectAnyName());
  FilterCall call{std::move(input), FindFilter(name), {}};
  if (call.filter == nullptr) {
    return TemplateError(Format("filter \"{}\" is not supported", name), Format("line {}", line));
  }
  if (tokens_.AtOperator("(")) {
    FATHOM_TRY(call.arguments, ParseArguments());
  }
  return Make(line, std::move(call));
}

Result<std::vector<ExpressionPtr>> ExpressionParser::ParseFilterChain() {
  std::vector<ExpressionPtr> filters;
  while (tokens_.TakeOperator("|")) {
    FATHOM_TRY(ExpressionPtr filter, ParseFilter(nullptr));
    filters.push_back(std::move(filter));
  }
  return filters;
}

Result<ExpressionPtr> ExpressionParser::ParsePredicate(ExpressionPtr input) {
  const int line = tokens_.line();
  PredicateCall call;
  call.negated = tokens_.TakeName("not");
  FATHOM_TRY(const std::string name, tokens_.ExpectAnyName());
  call.input = std::move(input);
  call.predicate = FindPredicate(name);
  if (call.predicate == nullptr) {
    return TemplateError(Format("test \"{}\" is not supported", name), Format("line {}", line));
  }
  const Token& current = tokens_.current();
  const bool literal = current.kind == TokenKind::kString || current.kind == TokenKind::kInteger ||
                       current.kind == TokenKind::kFloat || tokens_.AtOperator("[") ||
                       tokens_.AtOperator("{");
  if (tokens_.AtOperator("(")) {
    FATHOM_TRY(call.arguments, ParseArguments());
  } else if (literal || (current.kind == TokenKind::kName && !IsConnective(current.text))) {
    FATHOM_TRY(ExpressionPtr primary, ParsePrimary());
    FATHOM_TRY(ExpressionPtr argument, ParsePostfix(std::move(primary)));
    call.arguments.positional.push_back(std::move(argument));
  }
  return Make(line, std::move(call));
}

}  // namespace fathom::jinja
