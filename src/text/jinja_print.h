#ifndef FATHOM_TEXT_JINJA_PRINT_H_
#define FATHOM_TEXT_JINJA_PRINT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "text/jinja_budget.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {

// Python's str(): what {{ }} writes. Undefined is "". What came out of a message stays marked,
// whole lists and dicts with their punctuation. Error: functions, macros, namespaces.
Result<MarkedText> ToText(const Value& value, Budget& budget);

// json.dumps with transformers' settings: not escaped to ASCII.
struct JsonStyle {
  std::optional<int64_t> indent;  // spaces a level; none: one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool sort_keys = false;
  bool ascii = false;
};
Result<MarkedText> ToJson(const Value& value, const JsonStyle& style, Budget& budget);

// Python's repr of a float: the shortest digits that read back as the same number.
std::string FloatText(double value);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_PRINT_H_
