#ifndef FATHOM_API_CONTINUED_MESSAGE_H_
#define FATHOM_API_CONTINUED_MESSAGE_H_

#include <vector>

#include "api/reasoning_splitter.h"
#include "base/json.h"
#include "base/result.h"
#include "text/marked_text.h"

namespace fathom {

// A prompt that ends inside its last message, so that the answer goes on there. As transformers'
// continue_final_message does it: a mark is put behind the message's text, the template renders,
// and the prompt is cut at the mark. White space at the message's end goes where the template takes
// it off.

// The messages with a mark behind the last one's content (CHECK: there is one, and it is text).
Json MarkLastMessage(Json messages);

// Cuts a rendered prompt at the mark and says how the answer begins: inside the reasoning where the
// message, or what the template wrote before it, opened it and did not close it; else everything is
// the answer. Error (kBadInput): the template left the end of the message out.
Result<ReasoningMode> CutAtMark(std::vector<TextSpan>& spans);

}  // namespace fathom

#endif  // FATHOM_API_CONTINUED_MESSAGE_H_
