#ifndef FATHOM_TEXT_TEMPLATE_TEXT_H_
#define FATHOM_TEXT_TEMPLATE_TEXT_H_

#include <string>

namespace fathom {

// A chat template as it is written, and where that is: "m/chat_template.jinja".
struct TemplateText {
  std::string text;
  std::string source;
};

}  // namespace fathom

#endif  // FATHOM_TEXT_TEMPLATE_TEXT_H_
