#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr size_t kMaxDepth = 256;

// Line and column (from 1) of a byte offset.
std::string Position(std::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t line_start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return Format("line {}, column {}", line, offset - line_start + 1);
}

// Builds the document from nlohmann's events; the first error ends the parse.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::string_view text) : text_(text) {}

  bool null() override { return Add(Json()); }
  bool boolean(bool value) override { return Add(Json(value)); }
  bool number_integer(number_integer_t value) override { return Add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    const bool fits = value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return Add(fits ? Json(static_cast<int64_t>(value)) : Json(static_cast<uint64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t& /*written*/) override {
    return Add(Json(value));
  }
  bool string(string_t& value) override { return Add(Json(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(size_t /*size*/) override { return Open(Json(Json::Object())); }
  bool start_array(size_t /*size*/) override { return Open(Json(Json::Array())); }
  bool key(string_t& value) override {
    keys_.push_back(std::move(value));
    return true;
  }
  bool end_array() override { return Close(); }
  bool end_object() override {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : open_.back().as_object()) names.push_back(name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) return Fail(Format("key \"{}\" stands twice in one object", *twice));
    return Close();
  }
  bool parse_error(size_t offset, const std::string& /*token*/,
                   const nlohmann::json::exception& problem) override {
    // nlohmann's text: "[json.exception...] parse error at line 1, column 2: reason"; the reason is
    // enough.
    std::string_view reason = problem.what();
    reason.remove_prefix(std::min(reason.find("] ") + 2, reason.size()));
    if (reason.starts_with("parse error at ")) reason.remove_prefix(reason.find(": ") + 2);
    return Fail(
        Format("not valid JSON at {}: {}", Position(text_, offset == 0 ? 0 : offset - 1), reason));
  }

  std::string error;
  Json document;

 private:
  bool Fail(std::string message) {
    if (error.empty()) error = std::move(message);
    return false;
  }
  bool Add(Json value) {
    if (open_.empty()) {
      document = std::move(value);
    } else if (open_.back().is_array()) {
      open_.back().as_array().push_back(std::move(value));
    } else {
      open_.back().as_object().emplace_back(std::move(keys_.back()), std::move(value));
      keys_.pop_back();
    }
    return true;
  }
  bool Open(Json value) {
    if (open_.size() >= kMaxDepth) return Fail(Format("nested deeper than {} levels", kMaxDepth));
    open_.push_back(std::move(value));
    return true;
  }
  bool Close() {
    Json value = std::move(open_.back());
    open_.pop_back();
    return Add(std::move(value));
  }

  std::string_view text_;
  std::vector<Json> open_;         // containers begun and not ended, outermost first
  std::vector<std::string> keys_;  // keys whose values are not complete yet
};

nlohmann::ordered_json ToLibrary(const Json& json) {
  if (json.is_null()) return nullptr;
  if (json.is_bool()) return json.as_bool();
  if (json.fits_int()) return json.as_int();
  if (json.is_int()) return json.as_uint();
  if (json.is_number()) return json.as_double();
  if (json.is_string()) return json.as_string();
  if (json.is_array()) {
    auto array = nlohmann::ordered_json::array();
    for (const Json& item : json.as_array()) array.push_back(ToLibrary(item));
    return array;
  }
  // ordered_json's own insertion searches for the key; the underlying vector does not.
  nlohmann::ordered_json::object_t object;
  auto& members =
      static_cast<std::vector<std::pair<const std::string, nlohmann::ordered_json>>&>(object);
  members.reserve(json.as_object().size());
  for (const auto& [key, value] : json.as_object()) members.emplace_back(key, ToLibrary(value));
  return object;
}

std::string ShortValue(const Json& json) {
  std::string text = Shortened(json.Dump(), 77);
  return json.is_null() ? text : Format("{} {}", json.TypeName(), text);
}

// RFC 6901: "~" and "/" inside a key are escaped.
std::string EscapePointer(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

const char* Json::TypeName() const {
  if (is_null()) return "null";
  if (is_bool()) return "bool";
  if (is_int()) return "integer";
  if (is_number()) return "number";
  if (is_string()) return "string";
  return is_array() ? "array" : "object";
}

bool Json::as_bool() const {
  FATHOM_CHECK(is_bool());
  return std::get<bool>(value_);
}
bool Json::fits_int() const { return std::holds_alternative<int64_t>(value_); }
int64_t Json::as_int() const {
  FATHOM_CHECK(fits_int());
  return std::get<int64_t>(value_);
}
uint64_t Json::as_uint() const {
  FATHOM_CHECK(is_int());
  if (const auto* whole = std::get_if<int64_t>(&value_)) return static_cast<uint64_t>(*whole);
  return std::get<uint64_t>(value_);
}
double Json::as_double() const {
  FATHOM_CHECK(is_number());
  if (const auto* whole = std::get_if<int64_t>(&value_)) return static_cast<double>(*whole);
  if (const auto* large = std::get_if<uint64_t>(&value_)) return static_cast<double>(*large);
  return std::get<double>(value_);
}
const std::string& Json::as_string() const {
  FATHOM_CHECK(is_string());
  return std::get<std::string>(value_);
}
const Json::Array& Json::as_array() const {
  FATHOM_CHECK(is_array());
  return std::get<Array>(value_);
}
Json::Array& Json::as_array() {
  FATHOM_CHECK(is_array());
  return std::get<Array>(value_);
}
const Json::Object& Json::as_object() const {
  FATHOM_CHECK(is_object());
  return std::get<Object>(value_);
}
Json::Object& Json::as_object() {
  FATHOM_CHECK(is_object());
  return std::get<Object>(value_);
}

const Json* Json::Find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  for (const auto& [name, value] : *object) {
    if (name == key) return &value;
  }
  return nullptr;
}

void Json::Set(std::string_view key, Json value) {
  for (auto& [name, old] : as_object()) {
    if (name == key) {
      old = std::move(value);
      return;
    }
  }
  as_object().emplace_back(std::string(key), std::move(value));
}

std::string Json::Dump(int indent, bool ascii) const {
  return ToLibrary(*this).dump(indent, ' ', ascii, nlohmann::json::error_handler_t::replace);
}

Result<Json> ParseJson(std::string_view text, const JsonSource& source) {
  Builder builder(text);
  if (nlohmann::json::sax_parse(text, &builder)) return std::move(builder.document);
  return BadInput(std::move(builder.error), source.name, source.fix);
}

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
  return Wrong(Format("key \"{}\" is missing", key));
}

Error JsonReader::Mismatch(std::string_view key, std::string_view expected) const {
  const Json* met = key.empty() ? value_ : value_->Find(key);
  const std::string pointer = key.empty() ? pointer_ : pointer_ + "/" + EscapePointer(key);
  return BadInput(
      Format("expected {}, found {}", expected, met == nullptr ? "nothing" : ShortValue(*met)),
      pointer.empty() ? source_.name : source_.name + ": " + pointer, source_.fix);
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
  return JsonReader(*member, source_, pointer_ + "/" + EscapePointer(key));
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
