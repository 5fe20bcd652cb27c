#ifndef FATHOM_TEXT_JINJA_PARSER_H_
#define FATHOM_TEXT_JINJA_PARSER_H_

#include <string_view>

#include "base/result.h"
#include "text/jinja_ast.h"

namespace fathom::jinja {

// Parses a whole template. Errors (kBadInput) say what is not known or not as expected; their where
// is "line N".
Result<Block> ParseTemplate(std::string_view source);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_PARSER_H_
