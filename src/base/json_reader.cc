#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/format.h"
#include "base/json.h"
#include "base/json_pointer.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr size_t kMostShown = 77;               // bytes of a value
constexpr size_t kMostCopied = kMostShown + 4;  // of one text: a character more than is shown

// Enough of `json` for its first kMostShown bytes as text; `values` counts down what is left of it.
Json Beginning(const Json& json, size_t& values) {
  if (json.is_string()) return Shortened(json.as_string(), kMostCopied);
  if (json.is_array()) {
    Json items = Json::MakeArray();
    for (const Json& item : json.as_array()) {
      if (values == 0) break;
      --values;
      items.Append(Beginning(item, values));
    }
    return items;
  }
  if (!json.is_object()) return json;
  Json::Object members;
  for (const auto& [key, value] : json.as_object()) {
    if (values == 0) break;
    --values;
    members.emplace_back(Shortened(key, kMostCopied), Beginning(value, values));
  }
  return members;
}

std::string ShortValue(const Json& json) {
  size_t values = kMostShown;
  std::string text = Shortened(Beginning(json, values).Dump(), kMostShown);
  return json.is_null() ? text : Format("{} {}", json.TypeName(), text);
}

}  // namespace

std::string JsonReader::Where() const {
  return pointer_.empty() ? source_.name : source_.name + ": " + pointer_;
}

bool JsonReader::Has(std::string_view key) const {
  const Json* member = value_->Find(key);
  return member != nullptr && !member->is_null();
}

Result<const Json*> JsonReader::Member(std::string_view key) const {
  const Json* member = value_->Find(key);
  if (member != nullptr) return member;
  return QuotesNothing(Wrong(Format("key \"{}\" is missing", key)));
}

Error JsonReader::Mismatch(std::string_view key, std::string_view expected) const {
  const Json* met = key.empty() ? value_ : value_->Find(key);
  const std::string pointer = key.empty() ? pointer_ : pointer_ + "/" + PointerToken(key);
  Error error = BadInput(
      Format("expected {}, found {}", expected, met == nullptr ? "nothing" : ShortValue(*met)),
      pointer.empty() ? source_.name : source_.name + ": " + pointer, source_.fix);
  error.unquoted =
      Format("expected {}, found {}", expected, met == nullptr ? "nothing" : met->TypeName());
  return error;
}

Result<int64_t> JsonReader::Int(std::string_view key, int64_t low, int64_t high) const {
  FATHOM_TRY(const Json* member, Member(key));
  if (member->fits_int() && member->as_int() >= low && member->as_int() <= high)
    return member->as_int();
  return Mismatch(key, Format("an integer from {} to {}", low, high));
}
Result<double> JsonReader::Number(std::string_view key) const {
  FATHOM_TRY(const Json* member, Member(key));
  if (member->is_number()) return member->as_double();
  return Mismatch(key, "a number");
}
Result<bool> JsonReader::Bool(std::string_view key) const {
  FATHOM_TRY(const Json* member, Member(key));
  if (member->is_bool()) return member->as_bool();
  return Mismatch(key, "true or false");
}
Result<std::string> JsonReader::String(std::string_view key) const {
  FATHOM_TRY(const Json* member, Member(key));
  if (member->is_string()) return member->as_string();
  return Mismatch(key, "a string");
}
Result<JsonReader> JsonReader::MemberAt(std::string_view key) const {
  FATHOM_TRY(const Json* member, Member(key));
  return JsonReader(*member, source_, pointer_ + "/" + PointerToken(key));
}
Result<JsonReader> JsonReader::Object(std::string_view key) const {
  FATHOM_TRY(JsonReader member, MemberAt(key));
  if (member.value().is_object()) return member;
  return Mismatch(key, "an object");
}
Result<JsonReader> JsonReader::ArrayAt(std::string_view key) const {
  FATHOM_TRY(JsonReader member, MemberAt(key));
  if (member.value().is_array()) return member;
  return Mismatch(key, "an array");
}
JsonReader JsonReader::At(size_t index) const {
  FATHOM_CHECK(index < value_->as_array().size());
  return {value_->as_array()[index], source_, Format("{}/{}", pointer_, index)};
}

Result<int64_t> JsonReader::IntOr(std::string_view key, int64_t fallback, int64_t low,
                                  int64_t high) const {
  if (!Has(key)) return fallback;
  return Int(key, low, high);
}
Result<double> JsonReader::NumberOr(std::string_view key, double fallback) const {
  if (!Has(key)) return fallback;
  return Number(key);
}
Result<bool> JsonReader::BoolOr(std::string_view key, bool fallback) const {
  if (!Has(key)) return fallback;
  return Bool(key);
}
Result<std::string> JsonReader::StringOr(std::string_view key, std::string fallback) const {
  if (!Has(key)) return fallback;
  return String(key);
}

}  // namespace fathom
