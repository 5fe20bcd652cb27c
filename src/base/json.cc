#include "base/json.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"

namespace fathom {
namespace {

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

}  // namespace fathom
