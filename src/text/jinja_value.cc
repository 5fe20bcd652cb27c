#include "text/jinja_value.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "text/jinja_budget.h"
#include "text/jinja_error.h"
#include "text/jinja_strings.h"
#include "text/marked_text.h"

namespace fathom::jinja {
namespace {

Error TooDeep() {
  return TemplateError(Format("values nested deeper than {} levels", Value::kMostNesting));
}

template <typename T, typename Variant>
const typename T::element_type* Held(const Variant& data) {
  const T* held = std::get_if<T>(&data);
  return held == nullptr ? nullptr : held->get();
}

Result<bool> EqualLists(const ListData& a, const ListData& b, Budget& budget) {
  if (a.items.size() != b.items.size() || a.is_tuple != b.is_tuple) return false;
  for (size_t i = 0; i < a.items.size(); ++i) {
    FATHOM_TRY(const bool equal, Equal(a.items[i], b.items[i], budget));
    if (!equal) return false;
  }
  return true;
}

Result<bool> EqualDicts(const DictData& a, const DictData& b, Budget& budget) {
  if (a.members.size() != b.members.size()) return false;
  for (const Member& member : a.members) {
    FATHOM_OK(budget.Steps(static_cast<int64_t>(b.members.size())));
    const Value* other = FindMember(b, member.key.text());
    if (other == nullptr) return false;
    FATHOM_TRY(const bool equal, Equal(member.value, *other, budget));
    if (!equal) return false;
  }
  return true;
}

int Sign(bool less, bool greater) { return less ? -1 : (greater ? 1 : 0); }

}  // namespace

Value Value::String(MarkedText text) {
  return Value(std::make_shared<const MarkedText>(std::move(text)));
}

Value Value::OfLoop(LoopData loop) {
  return Value(std::make_shared<const LoopData>(std::move(loop)));
}

Value Value::OfMethod(Value object, std::string_view name) {
  return Value(
      std::make_shared<const MethodData>(MethodData{std::move(object), std::string(name)}));
}

int Value::Depth() const {
  if (const ListData* items = list()) return items->depth;
  if (const DictData* members = dict()) return members->depth;
  if (const LoopData* state = loop()) return state->items->depth + 1;
  if (const MethodData* bound = method()) return bound->object.Depth();
  return 0;
}

Result<Value> Value::List(Values items, bool is_tuple) {
  int depth = 0;
  for (const Value& item : items) {
    if (item.space() != nullptr) return TemplateError("a namespace cannot be put into a list");
    depth = std::max(depth, item.Depth());
  }
  if (depth >= kMostNesting) return TooDeep();
  return Value(std::make_shared<const ListData>(ListData{std::move(items), is_tuple, depth + 1}));
}

Result<Value> Value::Dict(std::vector<Member> members) {
  int depth = 0;
  for (const Member& member : members) {
    if (member.value.space() != nullptr)
      return TemplateError("a namespace cannot be put into a dict");
    depth = std::max(depth, member.value.Depth());
  }
  if (depth >= kMostNesting) return TooDeep();
  return Value(std::make_shared<const DictData>(DictData{std::move(members), depth + 1}));
}

Result<Value> Value::FromJson(const Json& json, bool from_message) {
  Value value;
  if (json.is_bool()) {
    value = Value(json.as_bool());
  } else if (json.fits_int()) {
    value = Value(json.as_int());
  } else if (json.is_int()) {
    value = Value(json.as_uint());
  } else if (json.is_number()) {
    value = Value(json.as_double());
  } else if (json.is_string()) {
    value = String(MarkedText(json.as_string(), from_message));
  } else if (json.is_array()) {
    Values items;
    for (const Json& item : json.as_array()) {
      FATHOM_TRY(Value element, FromJson(item, from_message));
      items.push_back(std::move(element));
    }
    FATHOM_TRY(value, List(std::move(items)));
  } else if (json.is_object()) {
    std::vector<Member> members;
    for (const auto& [key, item] : json.as_object()) {
      FATHOM_TRY(Value element, FromJson(item, from_message));
      members.push_back({MarkedText(key, from_message), std::move(element)});
    }
    FATHOM_TRY(value, Dict(std::move(members)));
  }
  value.from_message_ = from_message;
  return value;
}

const std::string* Value::undefined() const {
  const auto* held = std::get_if<Undefined>(&data_);
  return held == nullptr ? nullptr : &held->what;
}
const MarkedText* Value::string() const { return Held<std::shared_ptr<const MarkedText>>(data_); }
const ListData* Value::list() const { return Held<std::shared_ptr<const ListData>>(data_); }
const std::shared_ptr<const ListData>* Value::shared_list() const {
  return std::get_if<std::shared_ptr<const ListData>>(&data_);
}
const DictData* Value::dict() const { return Held<std::shared_ptr<const DictData>>(data_); }
const LoopData* Value::loop() const { return Held<std::shared_ptr<const LoopData>>(data_); }
const MacroData* Value::macro() const { return std::get_if<MacroData>(&data_); }
const MethodData* Value::method() const { return Held<std::shared_ptr<const MethodData>>(data_); }
Namespace* Value::space() const {
  const auto* held = std::get_if<Namespace*>(&data_);
  return held == nullptr ? nullptr : *held;
}
std::optional<Function> Value::function() const {
  const auto* held = std::get_if<Function>(&data_);
  return held == nullptr ? std::nullopt : std::optional(*held);
}
std::optional<int64_t> Value::integer() const {
  if (const auto* held = std::get_if<int64_t>(&data_)) return *held;
  if (const auto* held = std::get_if<bool>(&data_)) return *held ? 1 : 0;
  return std::nullopt;
}
std::optional<uint64_t> Value::large_integer() const {
  const auto* held = std::get_if<uint64_t>(&data_);
  return held == nullptr ? std::nullopt : std::optional(*held);
}
std::optional<double> Value::number() const {
  if (const auto* held = std::get_if<double>(&data_)) return *held;
  if (const auto* held = std::get_if<uint64_t>(&data_)) return static_cast<double>(*held);
  const std::optional<int64_t> whole = integer();
  if (whole.has_value()) return static_cast<double>(*whole);
  return std::nullopt;
}

const char* Value::TypeName() const {
  if (is_undefined()) return "undefined";
  if (is_none()) return "none";
  if (is_bool()) return "bool";
  if (is_int()) return "integer";
  if (is_float()) return "float";
  if (is_string()) return "string";
  if (is_list()) return list()->is_tuple ? "tuple" : "list";
  if (is_dict()) return "dict";
  if (loop() != nullptr) return "loop";
  if (space() != nullptr) return "namespace";
  if (method() != nullptr) return "method";
  return macro() != nullptr ? "macro" : "function";
}

bool Value::IsCallable() const {
  return macro() != nullptr || function().has_value() || method() != nullptr;
}

bool Value::Truthy() const {
  if (is_undefined() || is_none()) return false;
  if (const std::optional<double> value = number()) return *value != 0;
  if (const MarkedText* text = string()) return !text->empty();
  if (const ListData* items = list()) return !items->items.empty();
  if (const DictData* members = dict()) return !members->members.empty();
  return true;
}

const Value* FindMember(const DictData& dict, std::string_view key) {
  for (const Member& member : dict.members) {
    if (member.key.text() == key) return &member.value;
  }
  return nullptr;
}

Result<bool> Equal(const Value& a, const Value& b, Budget& budget) {
  FATHOM_OK(budget.Steps());
  if (a.integer().has_value() && b.integer().has_value()) return *a.integer() == *b.integer();
  if (a.is_number() && b.is_number()) return *a.number() == *b.number();
  if (a.is_string() && b.is_string()) return a.string()->text() == b.string()->text();
  if (a.is_list() && b.is_list()) return EqualLists(*a.list(), *b.list(), budget);
  if (a.is_dict() && b.is_dict()) return EqualDicts(*a.dict(), *b.dict(), budget);
  if (a.space() != nullptr) return a.space() == b.space();
  return (a.is_none() && b.is_none()) || (a.is_undefined() && b.is_undefined());
}

Result<int> Compare(const Value& a, const Value& b) {
  if (a.integer().has_value() && b.integer().has_value()) {
    return Sign(*a.integer() < *b.integer(), *a.integer() > *b.integer());
  }
  if (a.is_number() && b.is_number()) {
    return Sign(*a.number() < *b.number(), *a.number() > *b.number());
  }
  // The order of UTF-8 bytes is that of code points.
  if (a.is_string() && b.is_string()) return a.string()->text().compare(b.string()->text());
  for (const Value* value : {&a, &b}) {
    if (value->is_undefined()) return TemplateError(*value->undefined());
  }
  return TemplateError(Format("cannot order {} and {}", a.TypeName(), b.TypeName()));
}

Result<bool> Contains(const Value& container, const Value& needle, Budget& budget) {
  if (const MarkedText* text = container.string()) {
    if (!needle.is_string()) {
      return TemplateError(
          Format("'in <string>' needs a string on its left, not {}", needle.TypeName()));
    }
    return FindText(text->text(), needle.string()->text(), 0) != std::string::npos;
  }
  if (const DictData* dict = container.dict()) {
    return needle.is_string() && FindMember(*dict, needle.string()->text()) != nullptr;
  }
  if (const ListData* list = container.list()) {
    for (const Value& item : list->items) {
      FATHOM_TRY(const bool equal, Equal(item, needle, budget));
      if (equal) return true;
    }
    return false;
  }
  if (container.is_undefined()) return false;
  return TemplateError(Format("'in' does not work on {}", container.TypeName()));
}

Result<std::shared_ptr<const ListData>> Iterate(const Value& value, Budget& budget) {
  if (const auto* list = value.shared_list()) return *list;
  Values items;
  if (const DictData* dict = value.dict()) {
    for (const Member& member : dict->members) items.push_back(Value::String(member.key));
  } else if (const MarkedText* text = value.string()) {
    FATHOM_OK(budget.Steps(static_cast<int64_t>(text->size())));
    items = Characters(*text);
  } else if (!value.is_undefined()) {
    return TemplateError(Format("{} is not iterable", value.TypeName()));
  }
  FATHOM_OK(budget.Steps(static_cast<int64_t>(items.size())));
  FATHOM_TRY(const Value list, Value::List(std::move(items)));
  return *list.shared_list();
}

Result<int64_t> Length(const Value& value) {
  if (value.is_undefined()) return int64_t{0};
  if (const MarkedText* text = value.string()) return CountCharacters(text->text());
  if (const ListData* list = value.list()) return static_cast<int64_t>(list->items.size());
  if (const DictData* dict = value.dict()) return static_cast<int64_t>(dict->members.size());
  return TemplateError(Format("{} has no length", value.TypeName()));
}

}  // namespace fathom::jinja
