#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/json_pointer.h"
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
  Builder(std::string_view text, const JsonSource& source, size_t most_values)
      : text_(text), source_(source), most_values_(most_values) {}

  bool null() override { return AddScalar(Json()); }
  bool boolean(bool value) override { return AddScalar(Json(value)); }
  bool number_integer(number_integer_t value) override { return AddScalar(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    const bool fits = value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return AddScalar(fits ? Json(static_cast<int64_t>(value)) : Json(static_cast<uint64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t& /*written*/) override {
    return AddScalar(Json(value));
  }
  bool string(string_t& value) override { return AddScalar(Json(std::move(value))); }
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
    names.reserve(open_.back().as_object().size());
    for (const auto& [name, value] : open_.back().as_object()) names.push_back(name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return Close();
    return Fail("key", Format(" \"{}\"", Shortened(*twice)), " stands twice in one object",
                Pointer(open_.size() - 1) + "/" + PointerToken(*twice));
  }
  bool parse_error(size_t offset, const std::string& token,
                   const nlohmann::json::exception& problem) override {
    constexpr int kOutOfRange = 406;
    if (problem.id == kOutOfRange) {
      return Fail("number overflow", " parsing '" + Shortened(token) + "'", "",
                  Pointer(open_.size()));
    }
    const std::string_view reason = problem.what();
    constexpr std::string_view kQuote = "; last read: '";
    const size_t quote = std::min(reason.find(kQuote), reason.size());
    const size_t quote_end = std::min(quote + kQuote.size() + token.size() + 1, reason.size());
    const std::string position = Position(text_, offset == 0 ? 0 : offset - 1);
    return Fail(
        Format("not valid JSON at {}: {}", position, WithoutPreamble(reason.substr(0, quote))),
        quote < reason.size() ? Format("{}{}'", kQuote, Shortened(token)) : "",
        reason.substr(quote_end), "");
  }

  std::optional<Error> error;
  Json document;

 private:
  // nlohmann's texts begin "[json.exception...] parse error at line 1, column 2: ".
  static std::string_view WithoutPreamble(std::string_view reason) {
    reason.remove_prefix(std::min(reason.find("] ") + 2, reason.size()));
    if (reason.starts_with("parse error at ")) reason.remove_prefix(reason.find(": ") + 2);
    return reason;
  }
  // What failed is `begin`, `quote` of the text and `end`.
  bool Fail(std::string_view begin, std::string_view quote, std::string_view end,
            std::string_view pointer) {
    const std::string where = pointer.empty() ? "" : Format(": {}", pointer);
    error = BadInput(Format("{}{}{}", begin, quote, end), source_.name + where, source_.fix);
    error->unquoted = Format("{}{}", begin, end);
    return false;
  }
  // Of the value that comes next in the innermost of the `depth` outermost open containers.
  std::string Pointer(size_t depth) const {
    std::string pointer;
    size_t objects = 0;
    for (size_t i = 0; i < std::min(depth, open_.size()); ++i) {
      pointer += open_[i].is_array() ? Format("/{}", open_[i].as_array().size())
                                     : "/" + PointerToken(keys_[objects++]);
    }
    return pointer;
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
  bool Count() {
    if (++values_ <= most_values_) return true;
    return Fail(Format("more than {} values", WithCommas(static_cast<int64_t>(most_values_))), "",
                "", Pointer(1));
  }
  bool AddScalar(Json value) { return Count() && Add(std::move(value)); }
  bool Open(Json value) {
    if (!Count()) return false;
    if (open_.size() >= kMaxDepth) {
      return Fail(Format("nested deeper than {} levels", kMaxDepth), "", "", Pointer(1));
    }
    open_.push_back(std::move(value));
    return true;
  }
  bool Close() {
    Json value = std::move(open_.back());
    open_.pop_back();
    return Add(std::move(value));
  }

  std::string_view text_;
  const JsonSource& source_;
  size_t most_values_;
  size_t values_ = 0;
  std::vector<Json> open_;         // containers begun and not ended, outermost first
  std::vector<std::string> keys_;  // keys whose values are not complete yet
};

}  // namespace

Result<Json> ParseJson(std::string_view text, const JsonSource& source, size_t most_values) {
  Builder builder(text, source, most_values);
  if (nlohmann::json::sax_parse(text, &builder)) return std::move(builder.document);
  return *std::move(builder.error);
}

}  // namespace fathom
