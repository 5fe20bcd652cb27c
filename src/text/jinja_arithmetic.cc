#include "text/jinja_arithmetic.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "text/jinja_ast.h"
#include "text/jinja_budget.h"
#include "text/jinja_error.h"
#include "text/jinja_print.h"
#include "text/jinja_strings.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {
namespace {

const char* Sign(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kAdd:
      return "+";
    case BinaryOperator::kSubtract:
      return "-";
    case BinaryOperator::kMultiply:
      return "*";
    case BinaryOperator::kDivide:
      return "/";
    case BinaryOperator::kFloorDivide:
      return "//";
    case BinaryOperator::kModulo:
      return "%";
    case BinaryOperator::kPower:
      return "**";
    default:
      return "~";
  }
}

// base^exponent by squaring; nullopt past 64 bits.
std::optional<int64_t> IntegerPower(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (exponent > 0) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result)) return std::nullopt;
    exponent /= 2;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return std::nullopt;
  }
  return result;
}

int64_t FloorModulo(int64_t left, int64_t right) {
  if (right == -1) return 0;
  const int64_t rest = left % right;
  return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

// nullopt: outside of 64 bits. `right` is not 0 where it divides, nor negative where it is a power.
std::optional<int64_t> OnIntegers(BinaryOperator op, int64_t left, int64_t right) {
  int64_t result = 0;
  switch (op) {
    case BinaryOperator::kAdd:
      return __builtin_add_overflow(left, right, &result) ? std::nullopt : std::optional(result);
    case BinaryOperator::kSubtract:
      return __builtin_sub_overflow(left, right, &result) ? std::nullopt : std::optional(result);
    case BinaryOperator::kMultiply:
      return __builtin_mul_overflow(left, right, &result) ? std::nullopt : std::optional(result);
    case BinaryOperator::kFloorDivide:
      if (right == -1) return OnIntegers(BinaryOperator::kSubtract, 0, left);
      return (left - FloorModulo(left, right)) / right;
    case BinaryOperator::kModulo:
      return FloorModulo(left, right);
    default:
      return IntegerPower(left, right);
  }
}

double OnFloats(BinaryOperator op, double left, double right) {
  switch (op) {
    case BinaryOperator::kAdd:
      return left + right;
    case BinaryOperator::kSubtract:
      return left - right;
    case BinaryOperator::kMultiply:
      return left * right;
    case BinaryOperator::kDivide:
      return left / right;
    case BinaryOperator::kFloorDivide:
      return std::floor(left / right);
    case BinaryOperator::kModulo:
      return left - right * std::floor(left / right);
    default:
      return std::pow(left, right);
  }
}

Result<Value> OnNumbers(BinaryOperator op, const Value& left, const Value& right) {
  const bool divides = op == BinaryOperator::kDivide || op == BinaryOperator::kFloorDivide ||
                       op == BinaryOperator::kModulo;
  if (divides && *right.number() == 0) return TemplateError("division by zero");
  const auto a = left.integer();
  const auto b = right.integer();
  const bool whole = a.has_value() && b.has_value() && op != BinaryOperator::kDivide &&
                     !(op == BinaryOperator::kPower && *b < 0);
  if (!whole) return Value::Float(OnFloats(op, *left.number(), *right.number()));
  const std::optional<int64_t> result = OnIntegers(op, *a, *b);
  if (result.has_value()) return Value::Int(*result);
  return TemplateError(Format("{} {} {} is outside of 64 bits", *a, Sign(op), *b));
}

Result<Value> Concatenate(const Value& left, const Value& right, Budget& budget) {
  FATHOM_TRY(MarkedText text, ToText(left, budget));
  FATHOM_TRY(const MarkedText more, ToText(right, budget));
  text.Append(more);
  return Value::String(std::move(text));
}

Result<Value> JoinLists(const ListData& left, const ListData& right, Budget& budget) {
  FATHOM_OK(budget.Steps(static_cast<int64_t>(left.items.size() + right.items.size())));
  Values items = left.items;
  items.insert(items.end(), right.items.begin(), right.items.end());
  return Value::List(std::move(items), left.is_tuple);
}

Result<Value> RepeatList(const ListData& list, int64_t count, Budget& budget) {
  Values items;
  for (int64_t i = 0; i < count && !list.items.empty(); ++i) {
    FATHOM_OK(budget.Steps(static_cast<int64_t>(list.items.size())));
    items.insert(items.end(), list.items.begin(), list.items.end());
  }
  return Value::List(std::move(items), list.is_tuple);
}

// `count` times a text or a list; nullopt for other types.
Result<std::optional<Value>> RepeatSequence(const Value& sequence, const Value& count,
                                            Budget& budget) {
  if (!count.integer().has_value()) return std::optional<Value>();
  if (const ListData* list = sequence.list()) {
    FATHOM_TRY(Value repeated, RepeatList(*list, *count.integer(), budget));
    return std::optional(std::move(repeated));
  }
  if (!sequence.is_string()) return std::optional<Value>();
  FATHOM_TRY(MarkedText text, Repeat(*sequence.string(), *count.integer(), budget));
  return std::optional(Value::String(std::move(text)));
}

}  // namespace

Result<Value> Arithmetic(BinaryOperator op, const Value& left, const Value& right, Budget& budget) {
  FATHOM_CHECK(op != BinaryOperator::kAnd && op != BinaryOperator::kOr);
  if (op == BinaryOperator::kConcatenate) return Concatenate(left, right, budget);
  for (const Value* value : {&left, &right}) {
    if (value->is_undefined()) return TemplateError(*value->undefined());
  }
  if (left.is_number() && right.is_number()) return OnNumbers(op, left, right);
  if (op == BinaryOperator::kAdd && left.is_string() && right.is_string()) {
    return Concatenate(left, right, budget);
  }
  if (op == BinaryOperator::kAdd && left.is_list() && right.is_list() &&
      left.list()->is_tuple == right.list()->is_tuple) {
    return JoinLists(*left.list(), *right.list(), budget);
  }
  if (op == BinaryOperator::kMultiply) {
    for (const auto& [sequence, count] : {std::pair(&left, &right), std::pair(&right, &left)}) {
      FATHOM_TRY(std::optional<Value> repeated, RepeatSequence(*sequence, *count, budget));
      if (repeated.has_value()) return *std::move(repeated);
    }
  }
  return TemplateError(
      Format("{} {} {} is not supported", left.TypeName(), Sign(op), right.TypeName()));
}

Result<Value> Negate(const Value& value) {
  if (const std::string* what = value.undefined()) return TemplateError(*what);
  if (value.is_float()) return Value::Float(-*value.number());
  if (!value.is_number()) return TemplateError(Format("-{} is not supported", value.TypeName()));
  return OnNumbers(BinaryOperator::kSubtract, Value::Int(0), value);
}

}  // namespace fathom::jinja
