#ifndef FATHOM_TEXT_JINJA_ARITHMETIC_H_
#define FATHOM_TEXT_JINJA_ARITHMETIC_H_

#include "base/result.h"
#include "text/jinja_ast.h"
#include "text/jinja_budget.h"
#include "text/jinja_value.h"

namespace fathom::jinja {

// left op right with Python's meaning, for all operators but `and` and `or` (CHECK). Integers are
// 64 bits: a result outside is an error. So are types that do not go together and division by zero.
Result<Value> Arithmetic(BinaryOperator op, const Value& left, const Value& right, Budget& budget);

// -value.
Result<Value> Negate(const Value& value);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_ARITHMETIC_H_
