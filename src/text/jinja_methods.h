#ifndef FATHOM_TEXT_JINJA_METHODS_H_
#define FATHOM_TEXT_JINJA_METHODS_H_

#include <optional>
#include <string_view>

#include "base/result.h"
#include "text/jinja_arguments.h"
#include "text/jinja_budget.h"
#include "text/jinja_value.h"

namespace fathom::jinja {

// object.name without its call: nullopt if Python's type has no such attribute. Undefined for
// methods that would change their object, as in the sandbox. Error: Python has it, Fathom does not.
Result<std::optional<Value>> BoundMethod(const Value& object, std::string_view name);

// object.name(arguments): the methods of Python's str, dict and list that do not change their
// object, and loop.cycle. CHECK: BoundMethod gave a method.
Result<Value> CallMethod(const Value& object, std::string_view name, const Arguments& arguments,
                         Budget& budget);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_METHODS_H_
