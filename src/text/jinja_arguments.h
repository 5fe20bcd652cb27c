#ifndef FATHOM_TEXT_JINJA_ARGUMENTS_H_
#define FATHOM_TEXT_JINJA_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {

// What a call passes: f(1, 2, key=3).
struct Arguments {
  Values positional;
  std::vector<std::pair<std::string, Value>> named;
};

// The parameters that a filter, a predicate or a method takes: their names, spaces between, the
// first `required` without a default. "*" takes whatever comes.
struct Signature {
  std::string_view parameters;
  size_t required = 0;
};

// A value for each parameter, undefined for those that are not given. Errors name `callable`: too
// many or unknown arguments, one given twice, a required one missing.
Result<Values> Bind(std::string_view callable, const Signature& signature,
                    const Arguments& arguments);

// Readers of a bound argument. Missing: the fallback. Errors name what was found.
Result<int64_t> IntegerOr(const Value& argument, int64_t fallback);
Result<const MarkedText*> TextOrNull(const Value& argument);  // null: not given, or none
Result<const MarkedText*> RequiredText(const Value& argument);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_ARGUMENTS_H_
