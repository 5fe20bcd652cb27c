#ifndef FATHOM_TEXT_JINJA_ERROR_H_
#define FATHOM_TEXT_JINJA_ERROR_H_

#include <string>
#include <utility>

#include "base/result.h"

namespace fathom::jinja {

// What a template asks for and cannot have.
inline Error TemplateError(std::string what, std::string where = "") {
  return BadInput(std::move(what), std::move(where),
                  "correct the template, or give another with --chat-template FILE");
}

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_ERROR_H_
