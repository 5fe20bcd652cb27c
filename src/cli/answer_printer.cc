#include "cli/answer_printer.h"

#include <cstdint>
#include <string>

#include "api/reasoning_splitter.h"
#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr const char* kDim = "\x1b[2m";
constexpr const char* kPlain = "\x1b[0m";

}  // namespace

Status AnswerPrinter::Show(const ReplyDelta& delta) {
  if (!delta.reasoning.empty() && console_.out_is_terminal()) {
    FATHOM_OK(Switch(true));
    FATHOM_OK(console_.Print(delta.reasoning));
    any_ = true;
  }
  if (delta.text.empty()) return Ok();
  FATHOM_OK(Switch(false));
  any_ = true;
  return console_.Print(delta.text);
}

Status AnswerPrinter::ShowId(int32_t id) {
  const std::string text = Format("{}{}", any_ ? "," : "", id);
  any_ = true;
  return console_.Print(text);
}

Status AnswerPrinter::End() {
  const bool dimmed = in_reasoning_ && console_.styled();
  in_reasoning_ = any_ = false;
  return console_.Print(dimmed ? "\x1b[0m\n" : "\n");
}

// Between reasoning and answer stands an empty line.
Status AnswerPrinter::Switch(bool to_reasoning) {
  if (in_reasoning_ == to_reasoning) return Ok();
  in_reasoning_ = to_reasoning;
  if (console_.styled()) FATHOM_OK(console_.Print(to_reasoning ? kDim : kPlain));
  return to_reasoning ? Ok() : console_.Print("\n\n");
}

}  // namespace fathom
