#ifndef FATHOM_API_INPUT_TEXT_H_
#define FATHOM_API_INPUT_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fathom {

// Small languages of flags. Errors (kBadInput) name the flag and the value met.

// "1,2,3": ids, none negative; spaces beside the commas are fine, an empty list is not.
Result<std::vector<int32_t>> ParseIds(std::string_view flag, std::string_view text);
// Refuses the first id that is not below `vocab`.
Status CheckIds(std::string_view flag, std::span<const int32_t> ids, int64_t vocab);

// "ID:V", e.g. "42:-100".
Result<std::pair<int32_t, double>> ParseLogitBias(std::string_view flag, std::string_view text);

// Further variables of the chat template: a JSON object. The names of what the template is rendered
// from (messages, tools, add_generation_prompt) are refused: they would take its place.
Result<Json> ParseTemplateArguments(std::string_view flag, std::string_view text);

// Messages to encode, and the tools the template may name.
struct Conversation {
  Json messages = Json::MakeArray();
  Json tools;  // null: none
};

// The role of a message: system, developer, user, assistant or tool. A template leaves a message
// out whose role it does not know, and says nothing.
Result<std::string> ReadRole(const JsonReader& message);

// The first variable that is not to be given to a template, since its input has it: messages, tools
// or add_generation_prompt; none: nullptr.
const char* OwnVariableIn(const Json& arguments);

// A list of messages, or {"messages": [...], "tools": [...]}. Each message is an object with a
// "role" that is known (system, developer, user, assistant, tool) and a "content" that is text;
// beside "tool_calls" content may be null or absent. Errors name the place below `place`.
Result<Conversation> ParseConversation(const JsonReader& place);

}  // namespace fathom

#endif  // FATHOM_API_INPUT_TEXT_H_
