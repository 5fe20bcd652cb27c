#ifndef FATHOM_CLI_ANSWER_PRINTER_H_
#define FATHOM_CLI_ANSWER_PRINTER_H_

#include <cstdint>

#include "api/reasoning_splitter.h"
#include "base/result.h"
#include "cli/console.h"

namespace fathom {

// Shows an answer while it appears. On a terminal the reasoning comes first, dimmed; elsewhere only
// the answer is written, so that a pipe gets what was asked for.
class AnswerPrinter {
 public:
  explicit AnswerPrinter(Console& console) : console_(console) {}

  Status Show(const ReplyDelta& delta);
  // Ids instead of text, separated by commas.
  Status ShowId(int32_t id);
  // Ends the line and the dimming.
  Status End();

 private:
  Status Switch(bool to_reasoning);

  Console& console_;
  bool in_reasoning_ = false;
  bool any_ = false;
};

}  // namespace fathom

#endif  // FATHOM_CLI_ANSWER_PRINTER_H_
