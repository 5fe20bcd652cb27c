#ifndef FATHOM_TEXT_JINJA_STRING_LITERAL_H_
#define FATHOM_TEXT_JINJA_STRING_LITERAL_H_

#include <string>
#include <string_view>

#include "base/result.h"

namespace fathom::jinja {

// The text that the inside of a string literal stands for: Python's escapes. An escape that Python
// does not know stays as it is written. Errors (kBadInput): named characters (\N), digits that are
// missing, what is not a Unicode scalar value.
Result<std::string> UnescapeString(std::string_view written);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_STRING_LITERAL_H_
