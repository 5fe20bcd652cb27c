#include "api/chat_messages.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/input_text.h"
#include "api/tool_shapes.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr const char* kContent = "a text, or a list of {\"type\": \"text\", \"text\": ...}";

Result<std::string> ReadPart(const JsonReader& part) {
  if (part.value().is_string()) return part.value().as_string();
  if (!part.value().is_object()) return part.Mismatch("", kContent);
  FATHOM_TRY(const std::string type, part.String("type"));
  if (type != "text") return part.Mismatch("type", "\"text\": this server reads nothing else");
  return part.String("text");
}

Result<Json> JoinParts(const JsonReader& parts) {
  std::string text;
  for (size_t i = 0; i < parts.value().as_array().size(); ++i) {
    FATHOM_TRY(const std::string part, ReadPart(parts.At(i)));
    text += (i == 0 ? "" : "\n") + part;
  }
  return Json(std::move(text));
}

bool CallsTools(const Json& message) {
  const Json* calls = message.Find("tool_calls");
  return calls != nullptr && calls->is_array() && !calls->as_array().empty();
}

// Templates look whether the content of a call is null; elsewhere they add it to other text.
Result<Json> ReadContent(const JsonReader& message, std::string_view role) {
  if (message.Has("content")) {
    FATHOM_TRY(const JsonReader content, message.MemberAt("content"));
    if (content.value().is_string()) return content.value();
    if (content.value().is_array()) return JoinParts(content);
  } else if (role == "assistant" || role == "tool") {
    return CallsTools(message.value()) ? Json() : Json("");
  }
  return message.Mismatch("content", kContent);
}

bool IsLeftOut(std::string_view key, const Json& value) {
  if (key == "reasoning_content" || key == "reasoning" || value.is_null()) return true;
  return key == "tool_calls" && value.is_array() && value.as_array().empty();
}

Result<Json> ReadMessage(const JsonReader& message) {
  if (!message.value().is_object()) return message.Mismatch("", "a message (an object)");
  FATHOM_TRY(const std::string role, ReadRole(message));
  FATHOM_TRY(Json content, ReadContent(message, role));
  if (message.Has("tool_calls")) FATHOM_OK(CheckToolCalls(message.MemberAt("tool_calls").value()));
  Json out = Json::MakeObject({{"role", role}, {"content", std::move(content)}});
  for (const auto& [key, value] : message.value().as_object()) {
    if (key == "role" || key == "content" || IsLeftOut(key, value)) continue;
    out.as_object().emplace_back(key, value);
  }
  return out;
}

Result<bool> ReadPrefix(const JsonReader& message, bool is_last) {
  FATHOM_TRY(const bool prefix, message.BoolOr("prefix", false));
  if (!prefix) return false;
  if (is_last && message.value().Find("role")->as_string() == "assistant") return true;
  return message.Mismatch("prefix", "true in the last message only, an assistant's");
}

}  // namespace

Result<ChatMessages> ReadChatMessages(const JsonReader& messages) {
  if (!messages.value().is_array()) return messages.Mismatch("", "a list of messages");
  const size_t count = messages.value().as_array().size();
  if (count == 0) return messages.Mismatch("", "at least one message");
  ChatMessages chat;
  chat.messages.as_array().reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const JsonReader message = messages.At(i);
    FATHOM_TRY(Json read, ReadMessage(message));
    FATHOM_TRY(chat.prefix, ReadPrefix(message, i + 1 == count));
    chat.messages.Append(std::move(read));
  }
  return chat;
}

Result<bool> AddsGenerationPrompt(const JsonReader& request, const PromptEnd& end) {
  if (!end.continue_final_message) return end.add_generation_prompt.value_or(true);
  if (end.add_generation_prompt.value_or(false)) {
    return request.Mismatch("add_generation_prompt", "false where a message is continued");
  }
  const Json::Array& messages = end.messages.as_array();
  const bool can_go_on = !messages.empty() &&
                         messages.back().Find("role")->as_string() == "assistant" &&
                         messages.back().Find("content")->is_string();
  if (can_go_on) return false;
  return request.Mismatch("continue_final_message", "a last message of the assistant, with text");
}

Status ReadTemplateArguments(const JsonReader& value, Json& arguments) {
  if (!value.value().is_object()) return value.Mismatch("", "an object");
  for (const char* name : {"thinking", "enable_thinking"}) {
    FATHOM_TRY([[maybe_unused]] const bool flag, value.BoolOr(name, false));
  }
  if (const char* name = OwnVariableIn(value.value())) {
    return value.Mismatch(name, "variables of the template's own");
  }
  arguments = value.value();
  return Ok();
}

}  // namespace fathom
