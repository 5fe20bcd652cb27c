#ifndef FATHOM_TEXT_JINJA_EVALUATOR_H_
#define FATHOM_TEXT_JINJA_EVALUATOR_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/jinja_ast.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {

using Scope = std::map<std::string, Value, std::less<>>;

// Renders a parsed template with these variables and the functions range, dict, namespace,
// raise_exception and strftime_now (of `date`, "2026-01-02"). Each rendering has its own Budget.
// Errors (kBadInput) have "line N" as their where.
Result<MarkedText> RenderTemplate(const Block& block, Scope variables, std::string_view date);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_EVALUATOR_H_
