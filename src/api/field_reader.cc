#include "api/field_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/field_visitor.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "text/utf8.h"

namespace fathom {
namespace {

// What says as much as leaving the field out.
bool IsEmpty(const Json& value) {
  if (value.is_null()) return true;
  if (value.is_bool()) return !value.as_bool();
  if (value.is_string()) return value.as_string().empty();
  if (value.is_array()) return value.as_array().empty();
  return value.is_object() && value.as_object().empty();
}

std::optional<int64_t> WholeNumber(const Json& value) {
  if (value.fits_int()) return value.as_int();
  if (value.is_int() || !value.is_number()) return std::nullopt;
  constexpr double kExact = 9007199254740992;  // 2^53: up to here each integer is a double
  const double number = value.as_double();
  const bool whole = std::abs(number) <= kExact && std::trunc(number) == number;
  return whole ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
}

Result<bool> ReadBool(const JsonReader& value) {
  if (value.value().is_bool()) return value.value().as_bool();
  return value.Mismatch("", "true or false");
}

// Sets `out`, of type T or std::optional<T>, unless there is an error.
template <typename T, typename Out>
Status Set(Result<T> result, Out& out) {
  if (!result.ok()) return std::move(result).error();
  out = *std::move(result);
  return Ok();
}

}  // namespace

Result<int64_t> ReadInt(const JsonReader& value, const IntRange& range) {
  const auto number = WholeNumber(value.value());
  if (number && range.Allows(*number)) return *number;
  return value.Mismatch("", range.Describe());
}

Result<double> ReadNumber(const JsonReader& value, const NumberRange& range) {
  const bool allowed = value.value().is_number() && range.Allows(value.value().as_double());
  if (allowed) return value.value().as_double();
  return value.Mismatch("", range.Describe());
}

Result<std::vector<int32_t>> ReadIds(const JsonReader& array, int64_t vocab) {
  if (!array.value().is_array()) return array.Mismatch("", "a list of token ids");
  std::vector<int32_t> ids;
  ids.reserve(array.value().as_array().size());
  for (const Json& id : array.value().as_array()) {
    const auto number = WholeNumber(id);
    if (!number || *number < 0 || *number >= vocab) {
      return array.At(ids.size()).Mismatch("", Format("a token id from 0 to {}", vocab - 1));
    }
    ids.push_back(static_cast<int32_t>(*number));
  }
  return ids;
}

void FieldReader::Bool(const FieldText& field, bool& value) {
  if (const auto found = Find(field)) Keep(Set(ReadBool(*found), value));
}

void FieldReader::Bool(const FieldText& field, std::optional<bool>& value) {
  if (const auto found = Find(field)) Keep(Set(ReadBool(*found), value));
}

void FieldReader::Int(const FieldText& field, int64_t& value, const IntRange& range) {
  if (const auto found = Find(field)) Keep(Set(ReadInt(*found, range), value));
}

void FieldReader::Int(const FieldText& field, std::optional<int64_t>& value,
                      const IntRange& range) {
  if (const auto found = Find(field)) Keep(Set(ReadInt(*found, range), value));
}

void FieldReader::Number(const FieldText& field, std::optional<double>& value,
                         const NumberRange& range) {
  if (const auto found = Find(field)) Keep(Set(ReadNumber(*found, range), value));
}

void FieldReader::Text(const FieldText& field, std::string& value) {
  if (Find(field)) Keep(Set(object_.String(field.name), value));
}

void FieldReader::Read(const FieldText& field, std::string_view /*values*/, const ReadField& read) {
  if (const auto found = Find(field)) Keep(read(*found));
}

void FieldReader::Ignored(const FieldText& field) { known_.push_back(field.name); }

void FieldReader::Refused(const FieldText& field) {
  const auto found = Find(field);
  if (!found || IsEmpty(found->value())) return;
  Keep(QuotesNothing(BadInput(Format("'{}' is not supported", field.name), found->Where(),
                              std::string(field.help))));
}

std::vector<std::string> FieldReader::UnknownFields() const {
  constexpr size_t kMostNames = 16;
  constexpr size_t kMostBytes = 64;
  std::vector<std::string> unknown;
  for (const auto& [key, value] : object_.value().as_object()) {
    if (unknown.size() == kMostNames) break;
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string_view name = std::string_view(key).substr(0, kMostBytes);
    unknown.emplace_back(name.substr(0, ValidUtf8Prefix(name)));
  }
  return unknown;
}

std::optional<JsonReader> FieldReader::Find(const FieldText& field) {
  known_.push_back(field.name);
  if (!status_.ok() || !object_.Has(field.name)) return std::nullopt;
  return object_.MemberAt(field.name).value();
}

}  // namespace fathom
