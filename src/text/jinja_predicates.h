#ifndef FATHOM_TEXT_JINJA_PREDICATES_H_
#define FATHOM_TEXT_JINJA_PREDICATES_H_

#include <string_view>

#include "base/result.h"
#include "text/jinja_arguments.h"
#include "text/jinja_budget.h"
#include "text/jinja_value.h"

namespace fathom::jinja {

// What stands after `is` (Jinja calls it a test).
struct Predicate {
  std::string_view name;
  Signature signature;
  Result<bool> (*run)(const Value& input, const Values& arguments, Budget& budget);
};

// nullptr for a name that is not known.
const Predicate* FindPredicate(std::string_view name);

// Binds the arguments and runs it.
Result<bool> RunPredicate(const Predicate& predicate, const Value& input,
                          const Arguments& arguments, Budget& budget);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_PREDICATES_H_
