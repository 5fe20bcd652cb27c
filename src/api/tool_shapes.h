#ifndef FATHOM_API_TOOL_SHAPES_H_
#define FATHOM_API_TOOL_SHAPES_H_

#include "base/json.h"
#include "base/result.h"

namespace fathom {

// What chat templates take from tools without asking whether it is there. Errors (kBadInput) name
// the place.

// A list of {"type": "function", "function": {"name": text, ...}}, as OpenAI has it; "type" may be
// left out, "description" is a text and "parameters" an object, where they are there.
Status CheckTools(const JsonReader& tools);

// The "tool_calls" of a message: a list of {"type": "function", "function": {"name": text,
// "arguments": text or object}}; "type" and "arguments" may be left out, "id" is a text.
Status CheckToolCalls(const JsonReader& calls);

}  // namespace fathom

#endif  // FATHOM_API_TOOL_SHAPES_H_
