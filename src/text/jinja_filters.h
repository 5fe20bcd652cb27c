#ifndef FATHOM_TEXT_JINJA_FILTERS_H_
#define FATHOM_TEXT_JINJA_FILTERS_H_

#include <string_view>

#include "base/result.h"
#include "text/jinja_arguments.h"
#include "text/jinja_budget.h"
#include "text/jinja_value.h"

namespace fathom::jinja {

// What stands after `|`. Those with the signature "*" get their arguments as they are passed, the
// others bound.
struct Filter {
  std::string_view name;
  Signature signature;
  Result<Value> (*run)(const Value& input, const Values& arguments, Budget& budget) = nullptr;
  Result<Value> (*run_free)(const Value& input, const Arguments& arguments,
                            Budget& budget) = nullptr;
};

// nullptr for a name that is not known.
const Filter* FindFilter(std::string_view name);

Result<Value> RunFilter(const Filter& filter, const Value& input, const Arguments& arguments,
                        Budget& budget);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_FILTERS_H_
