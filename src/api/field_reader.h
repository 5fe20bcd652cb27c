#ifndef FATHOM_API_FIELD_READER_H_
#define FATHOM_API_FIELD_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/field_visitor.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {

// Reads the fields of a list out of a JSON object. A field that is missing or null keeps its
// default.
class FieldReader : public FieldVisitor {
 public:
  // The object must outlive it.
  explicit FieldReader(const JsonReader& object) : object_(object) {}

  void Bool(const FieldText& field, bool& value) override;
  void Bool(const FieldText& field, std::optional<bool>& value) override;
  void Int(const FieldText& field, int64_t& value, const IntRange& range) override;
  void Int(const FieldText& field, std::optional<int64_t>& value, const IntRange& range) override;
  void Number(const FieldText& field, std::optional<double>& value,
              const NumberRange& range) override;
  void Text(const FieldText& field, std::string& value) override;
  void Read(const FieldText& field, std::string_view values, const ReadField& read) override;
  void Ignored(const FieldText& field) override;
  void Refused(const FieldText& field) override;

  // The first field, in the order of the list, that is not as it should be (kBadInput): its place,
  // the value met and what was expected.
  const Status& status() const { return status_; }
  // Keys of the object that the list does not have: at most 16, each cut to 64 bytes, since they
  // are made by a client and go to the log.
  std::vector<std::string> UnknownFields() const;

 private:
  // The value to read; none when there is nothing to do.
  std::optional<JsonReader> Find(const FieldText& field);
  void Keep(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  const JsonReader& object_;
  Status status_;
  std::vector<std::string_view> known_;
};

// A whole number; 3.0 is one too: some clients know no other numbers.
Result<int64_t> ReadInt(const JsonReader& value, const IntRange& range);
Result<double> ReadNumber(const JsonReader& value, const NumberRange& range);
// A list of token ids from 0 to below `vocab`, each as ReadInt takes it.
Result<std::vector<int32_t>> ReadIds(const JsonReader& array, int64_t vocab);

}  // namespace fathom

#endif  // FATHOM_API_FIELD_READER_H_
