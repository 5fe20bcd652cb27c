#ifndef FATHOM_API_CHAT_MESSAGES_H_
#define FATHOM_API_CHAT_MESSAGES_H_

#include <optional>

#include "base/json.h"
#include "base/result.h"

namespace fathom {

// The messages of a chat request, in the form that templates take.
struct ChatMessages {
  Json messages = Json::MakeArray();
  bool prefix = false;  // the last one, an assistant's, has "prefix": true: it is to be continued
};

// Reads messages as clients send them, at least one. Errors (kBadInput) name the place.
//   role      system, developer, user, assistant or tool
//   content   a text; a list of texts and {"type": "text", "text": ...}, joined by line breaks as
//             vLLM does; null or missing, where an assistant called tools or was cut in its
//             reasoning, or a tool said nothing
//   tool_calls  as CheckToolCalls
// Everything else of a message is handed to the template, but for what would mislead one: members
// that are null, empty "tool_calls", and the reasoning of earlier answers ("reasoning_content",
// "reasoning"), which is not part of a history.
Result<ChatMessages> ReadChatMessages(const JsonReader& messages);

// How a prompt of messages is to end.
struct PromptEnd {
  const Json& messages;  // as read
  std::optional<bool> add_generation_prompt;
  bool continue_final_message = false;
};
// Whether the start of an answer ends the prompt: unless said otherwise where no message is
// continued. Errors name the field of `request`: both are asked for; the last message is not an
// assistant's, or has no text to continue.
Result<bool> AddsGenerationPrompt(const JsonReader& request, const PromptEnd& end);

// chat_template_kwargs: an object in which "thinking" and "enable_thinking" are true or false, and
// which does not name what a request has fields of its own for.
Status ReadTemplateArguments(const JsonReader& value, Json& arguments);

}  // namespace fathom

#endif  // FATHOM_API_CHAT_MESSAGES_H_
