#include "text/jinja_filters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_access.h"
#include "text/jinja_arguments.h"
#include "text/jinja_budget.h"
#include "text/jinja_error.h"
#include "text/jinja_numbers.h"
#include "text/jinja_predicates.h"
#include "text/jinja_print.h"
#include "text/jinja_strings.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {
namespace {

Result<Value> LengthOf(const Value& input, const Values& /*arguments*/, Budget& /*budget*/) {
  FATHOM_TRY(const int64_t length, Length(input));
  return Value::Int(length);
}

Result<Value> Trim(const Value& input, const Values& arguments, Budget& budget) {
  FATHOM_TRY(const MarkedText text, ToText(input, budget));
  FATHOM_TRY(const MarkedText* set, TextOrNull(arguments[0]));
  const auto characters = set == nullptr ? std::nullopt : std::optional(set->text());
  return Value::String(Strip(text, Side::kBoth, characters));
}

template <Case to>
Result<Value> InCase(const Value& input, const Values& /*arguments*/, Budget& budget) {
  FATHOM_TRY(const MarkedText text, ToText(input, budget));
  return Value::String(ChangeCase(text, to));
}

Result<Value> Title(const Value& input, const Values& /*arguments*/, Budget& budget) {
  FATHOM_TRY(const MarkedText text, ToText(input, budget));
  return Value::String(TitleWords(text));
}

Result<Value> ReplaceIn(const Value& input, const Values& arguments, Budget& budget) {
  FATHOM_TRY(const MarkedText text, ToText(input, budget));
  FATHOM_TRY(const MarkedText from, ToText(arguments[0], budget));
  FATHOM_TRY(const MarkedText to, ToText(arguments[1], budget));
  FATHOM_TRY(const int64_t most, IntegerOr(arguments[2], -1));
  FATHOM_TRY(MarkedText out, Replace(text, from, to, most, budget));
  return Value::String(std::move(out));
}

Result<Value> AsText(const Value& input, const Values& /*arguments*/, Budget& budget) {
  FATHOM_TRY(MarkedText text, ToText(input, budget));
  return Value::String(std::move(text));
}

// The indent's text: that many spaces, or the text itself.
Result<MarkedText> Margin(const Value& width, Budget& budget) {
  if (const MarkedText* given = width.string()) return *given;
  FATHOM_TRY(const int64_t spaces, IntegerOr(width, 4));
  return Repeat(MarkedText(" ", false), spaces, budget);
}

// Jinja's indent: before each line but the first, and not before empty ones, but for what the
// arguments say. Line ends of all kinds become \n.
Result<Value> Indent(const Value& input, const Values& arguments, Budget& budget) {
  FATHOM_TRY(MarkedText text, ToText(input, budget));
  FATHOM_TRY(const MarkedText margin, Margin(arguments[0], budget));
  const bool blank = arguments[2].Truthy();
  text.Append("\n", false);  // so that a text that ends in a line end keeps it
  MarkedText out;
  if (arguments[1].Truthy()) out.Append(margin);
  const std::vector<MarkedText> lines = SplitLines(text, /*keep_ends=*/false);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out.Append("\n", false);
    if (i > 0 && (blank || !lines[i].empty())) {
      FATHOM_OK(budget.Bytes(margin.size()));
      out.Append(margin);
    }
    out.Append(lines[i]);
  }
  return Value::String(std::move(out));
}

Result<JsonStyle> ReadJsonStyle(const Values& arguments) {
  JsonStyle style;
  style.ascii = arguments[0].Truthy();
  if (!arguments[1].is_undefined() && !arguments[1].is_none()) {
    FATHOM_TRY(style.indent, IntegerOr(arguments[1], 0));
    style.item_separator = ",";  // as json.dumps does
  }
  if (const ListData* separators = arguments[2].list()) {
    if (separators->items.size() != 2 || !separators->items[0].is_string() ||
        !separators->items[1].is_string()) {
      return TemplateError("tojson: separators are not two strings");
    }
    style.item_separator = separators->items[0].string()->text();
    style.key_separator = separators->items[1].string()->text();
  }
  style.sort_keys = arguments[3].Truthy();
  return style;
}

Result<Value> AsJson(const Value& input, const Values& arguments, Budget& budget) {
  FATHOM_TRY(const JsonStyle style, ReadJsonStyle(arguments));
  FATHOM_TRY(MarkedText text, ToJson(input, style, budget));
  return Value::String(std::move(text));
}

Result<Value> Default(const Value& input, const Values& arguments, Budget& /*budget*/) {
  const bool replaced = input.is_undefined() || (arguments[1].Truthy() && !input.Truthy());
  if (!replaced) return input;
  return arguments[0].is_undefined() ? Value::String("") : arguments[0];
}

Result<Value> Join(const Value& input, const Values& arguments, Budget& budget) {
  FATHOM_TRY(const MarkedText* separator, TextOrNull(arguments[0]));
  FATHOM_TRY(const MarkedText* attribute, TextOrNull(arguments[1]));
  FATHOM_TRY(const auto list, Iterate(input, budget));
  MarkedText out;
  for (size_t i = 0; i < list->items.size(); ++i) {
    if (i > 0 && separator != nullptr) {
      FATHOM_OK(budget.Bytes(separator->size()));
      out.Append(*separator);
    }
    Value item = list->items[i];
    if (attribute != nullptr) {
      FATHOM_TRY(item, GetPath(item, attribute->text(), budget));
    }
    FATHOM_TRY(const MarkedText text, ToText(item, budget));
    out.Append(text);
  }
  return Value::String(std::move(out));
}

Result<Value> AsList(const Value& input, const Values& /*arguments*/, Budget& budget) {
  FATHOM_TRY(const auto list, Iterate(input, budget));
  return Value::List(list->items);
}

Result<Value> Items(const Value& input, const Values& /*arguments*/, Budget& budget) {
  if (input.is_undefined()) return Value::List({});
  const DictData* dict = input.dict();
  if (dict == nullptr)
    return TemplateError(Format("items works on a dict, not {}", input.TypeName()));
  FATHOM_OK(budget.Steps(static_cast<int64_t>(dict->members.size())));
  Values pairs;
  for (const Member& member : dict->members) {
    FATHOM_TRY(Value pair, Value::List({Value::String(member.key), member.value}, true));
    pairs.push_back(std::move(pair));
  }
  return Value::List(std::move(pairs));
}

Result<Value> First(const Value& input, const Values& /*arguments*/, Budget& budget) {
  FATHOM_TRY(const auto list, Iterate(input, budget));
  return list->items.empty() ? Value::MakeUndefined("there is no first item") : list->items.front();
}
Result<Value> Last(const Value& input, const Values& /*arguments*/, Budget& budget) {
  FATHOM_TRY(const auto list, Iterate(input, budget));
  return list->items.empty() ? Value::MakeUndefined("there is no last item") : list->items.back();
}

Result<Value> Reverse(const Value& input, const Values& /*arguments*/, Budget& budget) {
  if (input.is_string()) {
    return GetSlice(input, {std::nullopt, std::nullopt, -1}, budget);
  }
  FATHOM_TRY(const auto list, Iterate(input, budget));
  return Value::List(Values(list->items.rbegin(), list->items.rend()));
}

// By what unique, min and max tell items apart, with the arguments "case_sensitive attribute":
// texts without their case unless told.
Result<Value> KeyOf(const Value& item, const Values& arguments, Budget& budget) {
  Value key = item;
  if (!arguments[1].is_undefined() && !arguments[1].is_none()) {
    FATHOM_TRY(const MarkedText path, ToText(arguments[1], budget));
    FATHOM_TRY(key, GetPath(item, path.text(), budget));
  }
  if (!key.is_string() || arguments[0].Truthy()) return key;
  FATHOM_OK(budget.Bytes(key.string()->size()));
  return Value::String(ChangeCase(*key.string(), Case::kLower));
}

Result<Value> Unique(const Value& input, const Values& arguments, Budget& budget) {
  FATHOM_TRY(const auto list, Iterate(input, budget));
  Values kept;
  Values keys;
  for (const Value& item : list->items) {
    FATHOM_TRY(Value key, KeyOf(item, arguments, budget));
    if (key.is_dict() || (key.is_list() && !key.list()->is_tuple)) {
      return TemplateError(Format("unique cannot tell a {} from another", key.TypeName()));
    }
    bool known = false;
    for (size_t i = 0; i < keys.size() && !known; ++i) {
      FATHOM_TRY(known, Equal(keys[i], key, budget));
    }
    if (known) continue;
    keys.push_back(std::move(key));
    kept.push_back(item);
  }
  return Value::List(std::move(kept));
}

// Jinja's int: Python's int(), and int(float()) where that fails on a text.
Result<std::optional<Value>> IntegerOf(const Value& input) {
  if (const auto whole = input.integer()) return std::optional(Value::Int(*whole));
  const MarkedText* text = input.string();
  if (text == nullptr && !input.is_number()) return std::optional<Value>();
  if (text == nullptr) return input.is_int() ? std::optional(input) : Truncate(*input.number());
  FATHOM_TRY(std::optional<Value> whole, ParseInteger(text->text()));
  const std::optional<double> number = ParseFloat(text->text());
  if (whole.has_value() || !number.has_value() || std::isinf(*number)) return whole;
  return Truncate(*number);
}

Result<Value> AsInteger(const Value& input, const Values& arguments, Budget& /*budget*/) {
  if (const std::string* what = input.undefined()) return TemplateError(*what);
  FATHOM_TRY(std::optional<Value> whole, IntegerOf(input));
  if (whole.has_value()) return *std::move(whole);
  return arguments[0].is_undefined() ? Value::Int(0) : arguments[0];
}

Result<Value> AsFloat(const Value& input, const Values& arguments, Budget& /*budget*/) {
  if (const std::string* what = input.undefined()) return TemplateError(*what);
  std::optional<double> number = input.number();
  if (const MarkedText* text = input.string()) number = ParseFloat(text->text());
  if (number.has_value()) return Value::Float(*number);
  return arguments[0].is_undefined() ? Value::Float(0) : arguments[0];
}

Result<Value> Absolute(const Value& input, const Values& /*arguments*/, Budget& /*budget*/) {
  if (const auto whole = input.integer(); whole.has_value() && *whole != INT64_MIN) {
    return Value::Int(std::abs(*whole));
  }
  if (input.is_float()) return Value::Float(std::abs(*input.number()));
  return TemplateError(Format("abs does not work on {}", input.TypeName()));
}

// The first of the least (sign 1) or greatest (sign -1) items.
Result<Value> Extreme(const Value& input, int sign, const Values& arguments, Budget& budget) {
  FATHOM_TRY(const auto list, Iterate(input, budget));
  if (list->items.empty()) return Value::MakeUndefined("the list is empty");
  const Value* best = nullptr;
  Value best_key;
  for (const Value& item : list->items) {
    FATHOM_TRY(Value key, KeyOf(item, arguments, budget));
    if (best != nullptr) {
      FATHOM_TRY(const int order, Compare(key, best_key));
      if (order * sign >= 0) continue;
    }
    best = &item;
    best_key = std::move(key);
  }
  return *best;
}
Result<Value> Min(const Value& input, const Values& arguments, Budget& budget) {
  return Extreme(input, 1, arguments, budget);
}
Result<Value> Max(const Value& input, const Values& arguments, Budget& budget) {
  return Extreme(input, -1, arguments, budget);
}

// The first argument of map, select and their like: the name of an attribute, filter or predicate.
Result<std::string> NameArgument(const char* filter, const Arguments& arguments) {
  if (arguments.positional.empty() || !arguments.positional[0].is_string()) {
    return TemplateError(Format("{} needs a name in quotes as its first argument", filter));
  }
  return arguments.positional[0].string()->text();
}
Arguments WithoutFirst(const Arguments& arguments, size_t count) {
  Arguments rest = arguments;
  const size_t dropped = std::min(count, rest.positional.size());
  rest.positional.erase(rest.positional.begin(),
                        rest.positional.begin() + static_cast<ptrdiff_t>(dropped));
  return rest;
}

Result<Value> MapAttribute(const ListData& list, const Arguments& arguments, Budget& budget) {
  FATHOM_TRY(const Values bound, Bind("map", {"attribute default", 1}, arguments));
  FATHOM_TRY(const MarkedText path, ToText(bound[0], budget));
  Values out;
  for (const Value& item : list.items) {
    FATHOM_TRY(const Value value, GetPath(item, path.text(), budget));
    const bool replaced = value.is_undefined() && !bound[1].is_undefined();
    out.push_back(replaced ? bound[1] : value);
  }
  return Value::List(std::move(out));
}

Result<Value> Map(const Value& input, const Arguments& arguments, Budget& budget) {
  FATHOM_TRY(const auto list, Iterate(input, budget));
  if (arguments.positional.empty()) return MapAttribute(*list, arguments, budget);
  FATHOM_TRY(const std::string name, NameArgument("map", arguments));
  const Filter* filter = FindFilter(name);
  if (filter == nullptr) return TemplateError(Format("unknown filter \"{}\"", name));
  const Arguments rest = WithoutFirst(arguments, 1);
  Values out;
  for (const Value& item : list->items) {
    FATHOM_TRY(Value value, RunFilter(*filter, item, rest, budget));
    out.push_back(std::move(value));
  }
  return Value::List(std::move(out));
}

// select, reject (of items) and selectattr, rejectattr (of an attribute of each).
struct Choice {
  const char* filter;
  bool keeps;
  bool by_attribute;
};
template <const Choice& choice>
Result<Value> Choose(const Value& input, const Arguments& arguments, Budget& budget) {
  FATHOM_TRY(const auto list, Iterate(input, budget));
  std::string path;
  Arguments rest = arguments;
  if (choice.by_attribute) {
    FATHOM_TRY(path, NameArgument(choice.filter, rest));
    rest = WithoutFirst(rest, 1);
  }
  const Predicate* predicate = nullptr;
  if (!rest.positional.empty()) {
    FATHOM_TRY(const std::string name, NameArgument(choice.filter, rest));
    predicate = FindPredicate(name);
    if (predicate == nullptr) return TemplateError(Format("unknown test \"{}\"", name));
    rest = WithoutFirst(rest, 1);
  }
  Values kept;
  for (const Value& item : list->items) {
    FATHOM_OK(budget.Steps());
    Value looked_at = item;
    if (choice.by_attribute) {
      FATHOM_TRY(looked_at, GetPath(item, path, budget));
    }
    bool holds = looked_at.Truthy();
    if (predicate != nullptr) {
      FATHOM_TRY(holds, RunPredicate(*predicate, looked_at, rest, budget));
    }
    if (holds == choice.keeps) kept.push_back(item);
  }
  return Value::List(std::move(kept));
}
constexpr Choice kSelect = {"select", true, false};
constexpr Choice kReject = {"reject", false, false};
constexpr Choice kSelectAttr = {"selectattr", true, true};
constexpr Choice kRejectAttr = {"rejectattr", false, true};

constexpr Signature kNoArguments = {"", 0};
constexpr Signature kKeyed = {"case_sensitive attribute", 0};
constexpr Signature kFree = {"*", 0};

constexpr Filter kFilters[] = {
    {"abs", kNoArguments, Absolute},
    {"capitalize", kNoArguments, InCase<Case::kCapital>},
    {"count", kNoArguments, LengthOf},
    {"d", {"default_value boolean", 0}, Default},
    {"default", {"default_value boolean", 0}, Default},
    {"first", kNoArguments, First},
    {"float", {"default", 0}, AsFloat},
    {"indent", {"width first blank", 0}, Indent},
    {"int", {"default", 0}, AsInteger},
    {"items", kNoArguments, Items},
    {"join", {"d attribute", 0}, Join},
    {"last", kNoArguments, Last},
    {"length", kNoArguments, LengthOf},
    {"list", kNoArguments, AsList},
    {"lower", kNoArguments, InCase<Case::kLower>},
    {"map", kFree, nullptr, Map},
    {"max", kKeyed, Max},
    {"min", kKeyed, Min},
    {"reject", kFree, nullptr, Choose<kReject>},
    {"rejectattr", kFree, nullptr, Choose<kRejectAttr>},
    {"replace", {"old new count", 2}, ReplaceIn},
    {"reverse", kNoArguments, Reverse},
    {"safe", kNoArguments, AsText},
    {"select", kFree, nullptr, Choose<kSelect>},
    {"selectattr", kFree, nullptr, Choose<kSelectAttr>},
    {"string", kNoArguments, AsText},
    {"title", kNoArguments, Title},
    {"tojson", {"ensure_ascii indent separators sort_keys", 0}, AsJson},
    {"trim", {"chars", 0}, Trim},
    {"unique", kKeyed, Unique},
    {"upper", kNoArguments, InCase<Case::kUpper>},
};

}  // namespace

const Filter* FindFilter(std::string_view name) {
  for (const Filter& filter : kFilters) {
    if (filter.name == name) return &filter;
  }
  return nullptr;
}

Result<Value> RunFilter(const Filter& filter, const Value& input, const Arguments& arguments,
                        Budget& budget) {
  FATHOM_OK(budget.Steps());
  if (const MarkedText* text = input.string()) FATHOM_OK(budget.Bytes(text->size()));
  if (filter.run_free != nullptr) return filter.run_free(input, arguments, budget);
  FATHOM_TRY(const Values bound, Bind(filter.name, filter.signature, arguments));
  return filter.run(input, bound, budget);
}

}  // namespace fathom::jinja
