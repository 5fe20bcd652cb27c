#ifndef FATHOM_API_CHAT_REQUEST_H_
#define FATHOM_API_CHAT_REQUEST_H_

#include <string_view>

#include "api/field_visitor.h"
#include "api/generation_options.h"
#include "api/input_text.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {

// What a request wants done with the reasoning of its answers.
enum class ReasoningWish {
  kAsServed,  // whatever the server does (--reasoning-field)
  kHidden,    // include_reasoning: false
  kInline,    // separate_reasoning: false; tags and all in the content
};

// POST /v1/chat/completions. docs/http-api.md has all fields.
struct ChatRequest {
  GenerationOptions generation;
  Conversation conversation;  // the messages as templates take them; no tools
  bool add_generation_prompt = true;
  // The answer goes on where the last message, an assistant's, ends (then add_generation_prompt is
  // false): continue_final_message, or DeepSeek's "prefix": true.
  bool continue_final_message = false;
  // chat_template_kwargs, with what `thinking` and `reasoning_effort` say: where any of the three
  // turns the reasoning on or off, both "thinking" and "enable_thinking" are there.
  Json template_arguments = Json::MakeObject();
  ReasoningWish reasoning = ReasoningWish::kAsServed;
};

// Reads a request's body. Errors (kBadInput) name the field by its JSON pointer, the value met and
// what was expected (FromError in api/api_error.h makes them a client's): wrong types, values out
// of range, fields that are known and not supported. Unknown fields are no error.
Result<ChatRequest> ParseChatRequest(std::string_view body, const RequestLimits& limits);

// Walks all fields with their defaults, for the documentation.
void ListChatFields(FieldVisitor& visitor);

}  // namespace fathom

#endif  // FATHOM_API_CHAT_REQUEST_H_
