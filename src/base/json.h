#ifndef FATHOM_BASE_JSON_H_
#define FATHOM_BASE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace fathom {

// A JSON value (RFC 8259) that keeps the order of its object members.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() : value_(nullptr) {}
  Json(std::nullptr_t) : value_(nullptr) {}                     // NOLINT
  Json(bool value) : value_(value) {}                           // NOLINT
  Json(int value) : value_(static_cast<int64_t>(value)) {}      // NOLINT
  Json(int64_t value) : value_(value) {}                        // NOLINT
  Json(uint64_t value) : value_(value) {}                       // NOLINT
  Json(double value) : value_(value) {}                         // NOLINT
  Json(std::string value) : value_(std::move(value)) {}         // NOLINT
  Json(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  Json(const char* value) : value_(std::string(value)) {}       // NOLINT
  Json(Array value) : value_(std::move(value)) {}               // NOLINT
  Json(Object value) : value_(std::move(value)) {}              // NOLINT

  // Out of line: inlined into callers, GCC 12 takes moves of the variant for uses of uninitialised
  // members.
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  static Json MakeObject(std::initializer_list<Member> members = {}) {
    return Json(Object(members));
  }
  static Json MakeArray() { return Json(Array()); }
  // An array of numbers or texts.
  template <typename Range>
  static Json ArrayOf(const Range& range) {
    Array array;
    for (const auto& item : range) array.emplace_back(Json(item));
    return Json(std::move(array));
  }

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  // A whole number as written ("3", not "3.0"); values past int64 are unsigned.
  bool is_int() const {
    return std::holds_alternative<int64_t>(value_) || std::holds_alternative<uint64_t>(value_);
  }
  bool is_number() const { return is_int() || std::holds_alternative<double>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  // "null", "bool", "integer", "number", "string", "array", "object": for messages.
  const char* TypeName() const;

  // Each asks for its type (CHECK). as_int also asks that the value is inside int64.
  bool as_bool() const;
  int64_t as_int() const;
  bool fits_int() const;     // is_int() and inside int64
  uint64_t as_uint() const;  // is_int(), and not negative
  double as_double() const;
  const std::string& as_string() const;
  const Array& as_array() const;
  Array& as_array();
  const Object& as_object() const;
  Object& as_object();

  // The member named `key`, or nullptr. Linear; null for values that are not objects.
  const Json* Find(std::string_view key) const;
  // Sets or appends a member; the value must be an object.
  void Set(std::string_view key, Json value);
  void Append(Json value) { as_array().push_back(std::move(value)); }

  friend bool operator==(const Json& a, const Json& b) = default;

  // Compact when indent < 0. Text that is not UTF-8 is written with U+FFFD in place of the bad
  // bytes; numbers that are not finite become null. With ascii, everything past U+007F is escaped.
  std::string Dump(int indent = -1, bool ascii = false) const;

 private:
  std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Object> value_;
};

// What a JSON text is to a person: the name that `where` begins with, and the fix that goes with
// every error about the text.
struct JsonSource {
  // NOLINTBEGIN(google-explicit-constructor): a name is enough where the text can be corrected.
  JsonSource(std::string_view document) : name(document), fix("correct it there") {}
  JsonSource(const std::string& document) : JsonSource(std::string_view(document)) {}
  JsonSource(const char* document) : JsonSource(std::string_view(document)) {}
  // NOLINTEND(google-explicit-constructor)
  JsonSource(std::string_view document, std::string_view what_to_do)
      : name(document), fix(what_to_do) {}
  // A file that came with a checkpoint.
  static JsonSource Fetched(std::string_view file) {
    return {file, "the file is damaged or was edited: fetch it again, or correct it there"};
  }

  std::string name;
  std::string fix;
};

// Reads one JSON text. Errors (kBadInput) name the line and column, or the pointer, and what was
// met, cut to a sane length; a key that stands twice in one object, nesting past 256, a number out
// of range and more than `most_values` values are errors too. Each list, object, number, text,
// true, false and null is a value; a member is its value.
//
// Cost  at most kMostBytesOfValue of memory for each value while it is read, beside the bytes of
//       texts: a list that grows is there twice, and then twice as large.
inline constexpr size_t kMostBytesOfValue = 256;
Result<Json> ParseJson(std::string_view text, const JsonSource& source,
                       size_t most_values = std::numeric_limits<size_t>::max());

// A place inside a JSON document, for reading with errors that name the path:
//   JsonReader root(json, "config.json");
//   FATHOM_TRY(int64_t layers, root.Int("num_hidden_layers", 1, 100000));
// Each getter fails (kBadInput) with source and JSON pointer, the value met, what was expected, and
// the source's fix; values and keys are cut to a sane length. The document must outlive the reader.
class JsonReader {
 public:
  JsonReader(const Json& value, JsonSource source, std::string pointer = "")
      : value_(&value), source_(std::move(source)), pointer_(std::move(pointer)) {}

  const Json& value() const { return *value_; }
  std::string Where() const;  // "config.json: /rope_scaling"

  // True when the key is there and not null.
  bool Has(std::string_view key) const;

  Result<int64_t> Int(std::string_view key, int64_t low, int64_t high) const;
  Result<double> Number(std::string_view key) const;
  Result<bool> Bool(std::string_view key) const;
  Result<std::string> String(std::string_view key) const;
  Result<JsonReader> Object(std::string_view key) const;
  Result<JsonReader> ArrayAt(std::string_view key) const;
  // A member of any type.
  Result<JsonReader> MemberAt(std::string_view key) const;
  // Element of an array (CHECK on the index).
  JsonReader At(size_t index) const;

  // The same with a default for a key that is missing or null.
  Result<int64_t> IntOr(std::string_view key, int64_t fallback, int64_t low, int64_t high) const;
  Result<double> NumberOr(std::string_view key, double fallback) const;
  Result<bool> BoolOr(std::string_view key, bool fallback) const;
  Result<std::string> StringOr(std::string_view key, std::string fallback) const;

  // "expected <expected>, found <type and value>" at `key` (or at this place when key is empty).
  Error Mismatch(std::string_view key, std::string_view expected) const;
  // Any other error about this place; `what` is taken to quote the document.
  Error Wrong(std::string what) const { return BadInput(std::move(what), Where(), source_.fix); }

 private:
  Result<const Json*> Member(std::string_view key) const;

  const Json* value_;
  JsonSource source_;
  std::string pointer_;
};

}  // namespace fathom

#endif  // FATHOM_BASE_JSON_H_
