#ifndef FATHOM_API_FIELD_VISITOR_H_
#define FATHOM_API_FIELD_VISITOR_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace fathom {

// A field of a request: its key, and what docs/http-api.md says of it.
struct FieldText {
  std::string_view name;
  std::string_view help;
};

struct NumberRange {
  double low, high;
  bool above_low = false;  // `low` itself is not allowed

  // NaN is outside of every range.
  bool Allows(double number) const {
    return (above_low ? number > low : number >= low) && number <= high;
  }
  std::string Describe() const;  // "a number from 0 to 2", "a number above 0, at most 1"
};

struct IntRange {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();

  bool Allows(int64_t number) const { return number >= low && number <= high; }
  std::string Describe() const;  // "an integer from 1 to 128", "a 64-bit integer"
};

using ReadField = std::function<Status(const JsonReader& value)>;

// Walks the fields of a request. Each request lists its fields once, as calls of these functions;
// reading a body and keeping the documentation true are two visitors. The value that a variable has
// when the list is walked is the field's default.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;

  virtual void Bool(const FieldText& field, bool& value) = 0;
  virtual void Bool(const FieldText& field, std::optional<bool>& value) = 0;
  virtual void Int(const FieldText& field, int64_t& value, const IntRange& range) = 0;
  virtual void Int(const FieldText& field, std::optional<int64_t>& value,
                   const IntRange& range) = 0;
  virtual void Number(const FieldText& field, std::optional<double>& value,
                      const NumberRange& range) = 0;
  virtual void Text(const FieldText& field, std::string& value) = 0;
  // A field of its own form, described by `values`; `read` gets what is not null.
  virtual void Read(const FieldText& field, std::string_view values, const ReadField& read) = 0;
  // Accepted and without effect here; the help says why.
  virtual void Ignored(const FieldText& field) = 0;
  // Refused unless null, false or empty; the help says what to do instead.
  virtual void Refused(const FieldText& field) = 0;
};

}  // namespace fathom

#endif  // FATHOM_API_FIELD_VISITOR_H_
