#ifndef FATHOM_TEXT_JINJA_GLOBALS_H_
#define FATHOM_TEXT_JINJA_GLOBALS_H_

#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/jinja_arguments.h"
#include "text/jinja_budget.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {

// The functions that every template may call (but namespace, whose values the evaluator owns).

// Numbers from start to below stop, at most 100,000.
Result<Value> Range(const Arguments& arguments, Budget& budget);
// Named arguments, after the members of a dict.
Result<Value> MakeDict(const Arguments& arguments, Budget& budget);
// Always an error: the message.
Result<Value> RaiseException(const Arguments& arguments, Budget& budget);
// `date` ("2026-01-02") in the given format.
Result<Value> StrftimeNow(const Arguments& arguments, std::string_view date, Budget& budget);

// Adds a member of a dict; a key that is there already gets the new value.
Status AddMember(const MarkedText& key, Value value, std::vector<Member>& members, Budget& budget);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_GLOBALS_H_
