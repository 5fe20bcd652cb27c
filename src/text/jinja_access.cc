#include "text/jinja_access.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_budget.h"
#include "text/jinja_error.h"
#include "text/jinja_methods.h"
#include "text/jinja_strings.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {
namespace {

Value Missing(const Value& object, std::string_view name) {
  return Value::MakeUndefined(Format("{} has no member '{}'", object.TypeName(), name));
}

// The fields of `loop` (Jinja's template designer documentation, "For").
std::optional<Value> LoopField(const LoopData& loop, std::string_view name) {
  const Values& items = loop.items->items;
  const auto size = static_cast<int64_t>(items.size());
  const auto index = static_cast<int64_t>(loop.index);
  if (name == "index") return Value::Int(index + 1);
  if (name == "index0") return Value::Int(index);
  if (name == "revindex") return Value::Int(size - index);
  if (name == "revindex0") return Value::Int(size - index - 1);
  if (name == "first") return Value::Bool(index == 0);
  if (name == "last") return Value::Bool(index + 1 == size);
  if (name == "length") return Value::Int(size);
  if (name == "depth") return Value::Int(1);  // of recursive loops, which are refused
  if (name == "depth0") return Value::Int(0);
  if (name == "previtem") {
    return index > 0 ? items[loop.index - 1] : Value::MakeUndefined("there is no previous item");
  }
  if (name == "nextitem") {
    return index + 1 < size ? items[loop.index + 1] : Value::MakeUndefined("there is no next item");
  }
  return std::nullopt;
}

// The member of a dict; nullptr if there is none or the object is no dict.
Result<const Value*> FindKey(const Value& object, std::string_view name, Budget& budget) {
  const DictData* dict = object.dict();
  if (dict == nullptr) return nullptr;
  FATHOM_OK(budget.Steps(static_cast<int64_t>(dict->members.size() / 64)));
  return FindMember(*dict, name);
}

// An index from the front, or nullopt if it is outside.
std::optional<size_t> Inside(int64_t index, size_t size) {
  const auto signed_size = static_cast<int64_t>(size);
  if (index < -signed_size || index >= signed_size) return std::nullopt;
  return static_cast<size_t>(index < 0 ? index + signed_size : index);
}

Result<Value> CharacterAt(const MarkedText& text, int64_t index, Budget& budget) {
  FATHOM_OK(budget.Bytes(text.size()));
  const std::vector<size_t> offsets = CharacterOffsets(text.text());
  const auto inside = Inside(index, offsets.size() - 1);
  if (!inside.has_value()) return Value::MakeUndefined(Format("string has no item {}", index));
  return Value::String(text.Slice(offsets[*inside], offsets[*inside + 1]));
}

// The indices that a slice takes of `size` items (Python, "slice.indices").
Result<std::vector<size_t>> SliceIndices(const SliceBounds& bounds, size_t size, Budget& budget) {
  const int64_t step = bounds.step.value_or(1);
  if (step == 0) return TemplateError("a slice with step 0");
  const auto length = static_cast<int64_t>(size);
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? length : length - 1;
  const auto resolve = [&](std::optional<int64_t> bound, int64_t fallback) {
    if (!bound.has_value()) return fallback;
    return std::clamp(*bound < 0 ? *bound + length : *bound, low, high);
  };
  const int64_t begin = resolve(bounds.begin, step > 0 ? low : high);
  const int64_t end = resolve(bounds.end, step > 0 ? high : low);
  std::vector<size_t> indices;
  // A step longer than the list takes one item; so no sum here can overflow.
  const int64_t stride = std::clamp(step, -length - 1, length + 1);
  for (int64_t at = begin; step > 0 ? at < end : at > end; at += stride) {
    indices.push_back(static_cast<size_t>(at));
  }
  FATHOM_OK(budget.Steps(static_cast<int64_t>(indices.size())));
  return indices;
}

}  // namespace

Result<Value> GetAttribute(const Value& object, std::string_view name, Budget& budget) {
  if (const std::string* what = object.undefined()) return TemplateError(*what);
  FATHOM_TRY(std::optional<Value> method, BoundMethod(object, name));
  if (method.has_value()) return *std::move(method);
  FATHOM_TRY(const Value* member, FindKey(object, name, budget));
  if (member != nullptr) return *member;
  if (const Namespace* space = object.space()) {
    const auto place = space->attributes.find(name);
    if (place != space->attributes.end()) return place->second;
  }
  if (const LoopData* loop = object.loop()) {
    if (const auto field = LoopField(*loop, name)) return *field;
  }
  if (name.starts_with("__") || object.IsCallable() || object.loop() != nullptr) {
    return TemplateError(
        Format("attribute \"{}\" of {} is not supported", name, object.TypeName()));
  }
  return Missing(object, name);
}

Result<Value> GetItem(const Value& object, const Value& index, Budget& budget) {
  if (const MarkedText* name = index.string()) {
    FATHOM_TRY(const Value* member, FindKey(object, name->text(), budget));
    return member != nullptr ? *member : GetAttribute(object, name->text(), budget);
  }
  if (const std::string* what = object.undefined()) return TemplateError(*what);
  const std::optional<int64_t> number = index.integer();
  if (!number.has_value()) {
    return Value::MakeUndefined(
        Format("{} has no item of type {}", object.TypeName(), index.TypeName()));
  }
  if (const MarkedText* text = object.string()) return CharacterAt(*text, *number, budget);
  const ListData* list = object.list();
  const auto inside = Inside(*number, list == nullptr ? 0 : list->items.size());
  if (inside.has_value()) return list->items[*inside];
  return Value::MakeUndefined(Format("{} has no item {}", object.TypeName(), *number));
}

Result<Value> GetPath(const Value& object, std::string_view path, Budget& budget) {
  Value value = object;
  while (true) {
    const size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    int64_t index = 0;
    const auto parsed = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index = parsed.ec == std::errc() && parsed.ptr == part.data() + part.size();
    FATHOM_TRY(value, GetItem(value, is_index ? Value::Int(index) : Value::String(part), budget));
    if (dot == std::string_view::npos) return value;
    path.remove_prefix(dot + 1);
  }
}

Result<Value> GetSlice(const Value& object, const SliceBounds& bounds, Budget& budget) {
  if (const MarkedText* text = object.string()) {
    FATHOM_OK(budget.Bytes(text->size()));
    const std::vector<size_t> offsets = CharacterOffsets(text->text());
    FATHOM_TRY(const std::vector<size_t> indices, SliceIndices(bounds, offsets.size() - 1, budget));
    if (bounds.step.value_or(1) == 1) {
      if (indices.empty()) return Value::String("");
      return Value::String(text->Slice(offsets[indices.front()], offsets[indices.back() + 1]));
    }
    MarkedText out;
    for (const size_t i : indices) out.Append(text->Slice(offsets[i], offsets[i + 1]));
    return Value::String(std::move(out));
  }
  if (const ListData* list = object.list()) {
    FATHOM_TRY(const std::vector<size_t> indices, SliceIndices(bounds, list->items.size(), budget));
    Values items;
    for (const size_t i : indices) items.push_back(list->items[i]);
    return Value::List(std::move(items), list->is_tuple);
  }
  if (const std::string* what = object.undefined()) return TemplateError(*what);
  return TemplateError(Format("{} cannot be sliced", object.TypeName()));
}

}  // namespace fathom::jinja
