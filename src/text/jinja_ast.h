#ifndef FATHOM_TEXT_JINJA_AST_H_
#define FATHOM_TEXT_JINJA_AST_H_

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "text/jinja_filters.h"
#include "text/jinja_predicates.h"
#include "text/jinja_value.h"

namespace fathom::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Literal {
  Value value;
};
struct Name {
  std::string name;
};
struct ListLiteral {
  std::vector<ExpressionPtr> items;
  bool is_tuple = false;
};
struct DictLiteral {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> members;
};
struct Attribute {
  ExpressionPtr object;
  std::string name;
};
struct Subscript {
  ExpressionPtr object, index;
};
struct Slice {  // object[begin:end:step], parts that are missing are null
  ExpressionPtr object, begin, end, step;
};
struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
};
struct Call {
  ExpressionPtr callee;
  CallArguments arguments;
};
struct FilterCall {
  ExpressionPtr input;  // null: the text of a block
  const Filter* filter = nullptr;
  CallArguments arguments;
};
struct PredicateCall {  // `is`
  ExpressionPtr input;
  const Predicate* predicate = nullptr;
  CallArguments arguments;
  bool negated = false;
};
enum class UnaryOperator { kMinus, kPlus, kNot };
struct Unary {
  UnaryOperator op;
  ExpressionPtr operand;
};
enum class BinaryOperator {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,
  kConcatenate,
  kAnd,
  kOr
};
struct Binary {
  BinaryOperator op;
  ExpressionPtr left, right;
};
enum class Comparison {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn
};
struct Compared {  // a < b < c: each with its neighbour
  ExpressionPtr first;
  std::vector<std::pair<Comparison, ExpressionPtr>> rest;
};
struct Conditional {  // then if condition else otherwise; without else: undefined
  ExpressionPtr condition, then, otherwise;
};

struct Expression {
  int line = 0;
  int depth = 1;  // of nesting, for the parser's limit
  std::variant<Literal, Name, ListLiteral, DictLiteral, Attribute, Subscript, Slice, Call,
               FilterCall, PredicateCall, Unary, Binary, Compared, Conditional>
      node;
};

struct Statement;
using Block = std::vector<Statement>;

struct TextStatement {
  std::string text;
};
struct PrintStatement {
  ExpressionPtr value;
};
// What a value is given to: one name, several that unpack it, or an attribute of a namespace.
struct Target {
  std::vector<std::string> names;
  bool unpacks = false;
  std::string attribute;  // "" for plain names
};
struct SetStatement {
  Target target;
  ExpressionPtr value;  // null: the body's text through the filters
  std::unique_ptr<Block> body;
  std::vector<ExpressionPtr> filters;
};
struct IfStatement {
  std::vector<std::pair<ExpressionPtr, Block>> branches;
  Block otherwise;
};
struct ForStatement {
  Target target;
  ExpressionPtr items;
  ExpressionPtr condition;  // null: none
  std::unique_ptr<Block> body;
  std::unique_ptr<Block> otherwise;
};
struct MacroStatement {
  std::string name;
  std::vector<std::pair<std::string, ExpressionPtr>> parameters;  // with defaults or null
  std::unique_ptr<Block> body;
};
// {% generation %}: what transformers marks as the assistant's; rendered like any text.
struct PlainBlockStatement {
  std::unique_ptr<Block> body;
};
struct BreakStatement {};
struct ContinueStatement {};

struct Statement {
  int line = 0;
  std::variant<TextStatement, PrintStatement, SetStatement, IfStatement, ForStatement,
               MacroStatement, PlainBlockStatement, BreakStatement, ContinueStatement>
      node;
};

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_AST_H_
