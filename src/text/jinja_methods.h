#ifndef FATHOM_TEXT_JINJA_METHODS_H_
#define FATHOM_TEXT_JINJA_METHODS_H_

#include <string_view>

#include "base/result.h"
#include "text/jinja_arguments.h"
#include "text/jinja_budget.h"
#include "text/jinja_value.h"

namespace fathom::jinja {

// Whether values of this type have a method of that name.
bool HasMethod(const Value& object, std::string_view name);

// object.name(arguments): the methods of Python's str and dict that do not change their object, and
// loop.cycle. CHECK: HasMethod.
Result<Value> CallMethod(const Value& object, std::string_view name, const Arguments& arguments,
                         Budget& budget);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_METHODS_H_
