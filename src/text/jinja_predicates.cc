#include "text/jinja_predicates.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_arguments.h"
#include "text/jinja_budget.h"
#include "text/jinja_error.h"
#include "text/jinja_print.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"
#include "text/unicode_letters.h"
#include "text/utf8.h"

namespace fathom::jinja {
namespace {

// What a predicate without arguments says of a value.
using Says = bool (*)(const Value&);
template <Says says>
Result<bool> Of(const Value& input, const Values& /*arguments*/, Budget& /*budget*/) {
  return says(input);
}

bool IsDefined(const Value& v) { return !v.is_undefined(); }
bool IsUndefined(const Value& v) { return v.is_undefined(); }
bool IsNone(const Value& v) { return v.is_none(); }
bool IsString(const Value& v) { return v.is_string(); }
bool IsMapping(const Value& v) { return v.is_dict(); }
bool IsSequence(const Value& v) {
  return v.is_string() || v.is_list() || v.is_dict() || v.is_undefined();
}
bool IsIterable(const Value& v) { return IsSequence(v) || v.loop() != nullptr; }
bool IsNumber(const Value& v) { return v.is_number(); }
bool IsInteger(const Value& v) { return v.is_int(); }
bool IsFloat(const Value& v) { return v.is_float(); }
bool IsBoolean(const Value& v) { return v.is_bool(); }
bool IsTrue(const Value& v) { return v.is_bool() && v.Truthy(); }
bool IsFalse(const Value& v) { return v.is_bool() && !v.Truthy(); }
bool IsCallable(const Value& v) { return v.IsCallable(); }

Result<bool> DivisibleBy(const Value& input, const Values& arguments, Budget& /*budget*/) {
  const std::optional<int64_t> number = input.integer();
  const std::optional<int64_t> divisor = arguments[0].integer();
  if (!number.has_value() || !divisor.has_value()) {
    return TemplateError(Format("divisibleby works on integers, not {} and {}", input.TypeName(),
                                arguments[0].TypeName()));
  }
  if (*divisor == 0) return TemplateError("division by zero");
  return *divisor == -1 || *number % *divisor == 0;
}
Result<bool> Odd(const Value& input, const Values& /*arguments*/, Budget& budget) {
  FATHOM_TRY(const bool even, DivisibleBy(input, {Value::Int(2)}, budget));
  return !even;
}
Result<bool> Even(const Value& input, const Values& /*arguments*/, Budget& budget) {
  return DivisibleBy(input, {Value::Int(2)}, budget);
}

Result<bool> IsEqual(const Value& input, const Values& arguments, Budget& budget) {
  return Equal(input, arguments[0], budget);
}
Result<bool> IsNotEqual(const Value& input, const Values& arguments, Budget& budget) {
  FATHOM_TRY(const bool equal, Equal(input, arguments[0], budget));
  return !equal;
}
// Python's `is`, which for the values of templates is: same type and equal.
Result<bool> IsSame(const Value& input, const Values& arguments, Budget& budget) {
  if (std::string_view(input.TypeName()) != arguments[0].TypeName()) return false;
  return Equal(input, arguments[0], budget);
}
Result<bool> IsIn(const Value& input, const Values& arguments, Budget& budget) {
  return Contains(arguments[0], input, budget);
}

using Fits = bool (*)(int order);
template <Fits fits>
Result<bool> Orders(const Value& input, const Values& arguments, Budget& /*budget*/) {
  FATHOM_TRY(const int order, Compare(input, arguments[0]));
  return fits(order);
}
bool Less(int order) { return order < 0; }
bool LessOrEqual(int order) { return order <= 0; }
bool Greater(int order) { return order > 0; }
bool GreaterOrEqual(int order) { return order >= 0; }

// Python's str.isupper and islower of the value's text: some character has a case, and all that
// have are of this one.
Result<bool> IsCased(const Value& input, LetterCase wanted, Budget& budget) {
  FATHOM_TRY(const MarkedText marked, ToText(input, budget));
  const std::string& text = marked.text();
  bool some = false;
  for (size_t at = 0; at < text.size();) {
    const CodePoint character = DecodeUtf8(text, at);
    const LetterCase found = character.valid ? CaseOf(character.value) : LetterCase::kNone;
    if (found != LetterCase::kNone && found != wanted) return false;
    some = some || found == wanted;
    at += character.length;
  }
  return some;
}
Result<bool> IsUpper(const Value& input, const Values& /*arguments*/, Budget& budget) {
  return IsCased(input, LetterCase::kUpper, budget);
}
Result<bool> IsLower(const Value& input, const Values& /*arguments*/, Budget& budget) {
  return IsCased(input, LetterCase::kLower, budget);
}

constexpr Signature kNoArguments = {"", 0};
constexpr Signature kOther = {"other", 1};

constexpr Predicate kPredicates[] = {
    {"defined", kNoArguments, Of<IsDefined>},
    {"undefined", kNoArguments, Of<IsUndefined>},
    {"none", kNoArguments, Of<IsNone>},
    {"string", kNoArguments, Of<IsString>},
    {"mapping", kNoArguments, Of<IsMapping>},
    {"sequence", kNoArguments, Of<IsSequence>},
    {"iterable", kNoArguments, Of<IsIterable>},
    {"number", kNoArguments, Of<IsNumber>},
    {"integer", kNoArguments, Of<IsInteger>},
    {"float", kNoArguments, Of<IsFloat>},
    {"boolean", kNoArguments, Of<IsBoolean>},
    {"true", kNoArguments, Of<IsTrue>},
    {"false", kNoArguments, Of<IsFalse>},
    {"callable", kNoArguments, Of<IsCallable>},
    {"odd", kNoArguments, Odd},
    {"even", kNoArguments, Even},
    {"upper", kNoArguments, IsUpper},
    {"lower", kNoArguments, IsLower},
    {"divisibleby", {"num", 1}, DivisibleBy},
    {"equalto", kOther, IsEqual},
    {"eq", kOther, IsEqual},
    {"==", kOther, IsEqual},
    {"ne", kOther, IsNotEqual},
    {"!=", kOther, IsNotEqual},
    {"lt", kOther, Orders<Less>},
    {"lessthan", kOther, Orders<Less>},
    {"<", kOther, Orders<Less>},
    {"le", kOther, Orders<LessOrEqual>},
    {"<=", kOther, Orders<LessOrEqual>},
    {"gt", kOther, Orders<Greater>},
    {"greaterthan", kOther, Orders<Greater>},
    {">", kOther, Orders<Greater>},
    {"ge", kOther, Orders<GreaterOrEqual>},
    {">=", kOther, Orders<GreaterOrEqual>},
    {"sameas", kOther, IsSame},
    {"in", {"seq", 1}, IsIn},
};

}  // namespace

const Predicate* FindPredicate(std::string_view name) {
  for (const Predicate& predicate : kPredicates) {
    if (predicate.name == name) return &predicate;
  }
  return nullptr;
}

Result<bool> RunPredicate(const Predicate& predicate, const Value& input,
                          const Arguments& arguments, Budget& budget) {
  if (const MarkedText* text = input.string()) FATHOM_OK(budget.Bytes(text->size()));
  FATHOM_TRY(const Values bound, Bind(predicate.name, predicate.signature, arguments));
  return predicate.run(input, bound, budget);
}

}  // namespace fathom::jinja
