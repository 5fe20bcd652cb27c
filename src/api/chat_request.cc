#include "api/chat_request.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/chat_messages.h"
#include "api/field_reader.h"
#include "api/field_visitor.h"
#include "api/generation_options.h"
#include "api/tool_shapes.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

// The fields as they stand in the body; what follows from several at once is worked out later.
struct ChatFields {
  GenerationOptions generation;
  ChatMessages chat;
  bool logprobs = false;
  std::optional<int64_t> top_logprobs;
  std::optional<int64_t> max_completion_tokens;
  std::optional<bool> add_generation_prompt;
  bool continue_final_message = false;
  Json template_arguments = Json::MakeObject();
  std::optional<bool> thinking;
  std::optional<bool> enable_thinking;
  std::string reasoning_effort;
  bool include_reasoning = true;
  bool separate_reasoning = true;
};

Status ReadMessages(const JsonReader& value, ChatMessages& chat) {
  FATHOM_TRY(chat, ReadChatMessages(value));
  return Ok();
}

Status ReadThinking(const JsonReader& value, std::optional<bool>& thinking) {
  constexpr const char* kValues = "{\"type\": \"enabled\"} or {\"type\": \"disabled\"}";
  if (!value.value().is_object()) return value.Mismatch("", kValues);
  FATHOM_TRY(const std::string type, value.String("type"));
  if (type != "enabled" && type != "disabled") {
    return value.Mismatch("type", "\"enabled\" or \"disabled\"");
  }
  thinking = type == "enabled";
  return Ok();
}

Status ReadEffort(const JsonReader& value, std::string& effort) {
  for (const std::string_view known : {"none", "minimal", "low", "medium", "high", "xhigh"}) {
    if (value.value().is_string() && value.value().as_string() == known) {
      effort = known;
      return Ok();
    }
  }
  return value.Mismatch("", "none, minimal, low, medium, high or xhigh");
}

Status ReadResponseFormat(const JsonReader& value) {
  if (!value.value().is_object()) return value.Mismatch("", "an object");
  FATHOM_TRY(const std::string type, value.String("type"));
  if (type == "text") return Ok();
  FATHOM_TRY(const JsonReader place, value.MemberAt("type"));
  return BadInput(
      Format("'response_format' of the type \"{}\" is not supported", Shortened(type, 80)),
      place.Where(), "use \"text\" and ask for the format in words");
}

// Tools may be there as long as none is to be called.
Status ReadTools(const JsonReader& request, const JsonReader& value) {
  if (!value.value().is_array()) return value.Mismatch("", "a list");
  const Json* choice = request.value().Find("tool_choice");
  const bool none = choice != nullptr && choice->is_string() && choice->as_string() == "none";
  if (none || value.value().as_array().empty()) return CheckTools(value);
  return QuotesNothing(BadInput("'tools' is not supported", value.Where(),
                                "leave it out, or set tool_choice to \"none\""));
}

Status ReadToolChoice(const JsonReader& value) {
  const Json& choice = value.value();
  if (choice.is_string() && (choice.as_string() == "none" || choice.as_string() == "auto")) {
    return Ok();
  }
  return QuotesNothing(BadInput("a 'tool_choice' that calls tools is not supported", value.Where(),
                                "leave it out, or set it to \"none\""));
}

void VisitMessages(FieldVisitor& visitor, ChatFields& fields) {
  visitor.Read({"messages", "The conversation; see below"}, "a list of messages, required",
               [&](const JsonReader& value) { return ReadMessages(value, fields.chat); });
  visitor.Bool({"add_generation_prompt",
                "The prompt ends with the start of an answer; not given: "
                "true, unless a message is continued"},
               fields.add_generation_prompt);
  visitor.Bool({"continue_final_message",
                "The answer goes on where the last message, an "
                "assistant's, ends; `prefix: true` in it says the same"},
               fields.continue_final_message);
  visitor.Read({"chat_template_kwargs", "Further variables of the chat template"}, "an object",
               [&](const JsonReader& value) {
                 return ReadTemplateArguments(value, fields.template_arguments);
               });
}

void VisitReasoning(FieldVisitor& visitor, ChatFields& fields) {
  visitor.Read({"thinking",
                "Turns reasoning on or off where the template can; "
                "`chat_template_kwargs` with `thinking` or `enable_thinking` goes "
                "before it"},
               "{\"type\": \"enabled\" or \"disabled\"}",
               [&](const JsonReader& value) { return ReadThinking(value, fields.thinking); });
  visitor.Bool({"enable_thinking", "The same in DashScope's words"}, fields.enable_thinking);
  visitor.Read(
      {"reasoning_effort", "none: as `thinking` disabled; also a variable of the template"},
      "none, minimal, low, medium, high or xhigh",
      [&](const JsonReader& value) { return ReadEffort(value, fields.reasoning_effort); });
  visitor.Bool({"include_reasoning", "false: the reasoning is left out of the answer"},
               fields.include_reasoning);
  visitor.Bool({"separate_reasoning", "false: the reasoning stands in the content, in its tags"},
               fields.separate_reasoning);
}

void VisitChat(FieldVisitor& visitor, ChatFields& fields, const JsonReader& request,
               const RequestLimits& limits) {
  VisitMessages(visitor, fields);
  VisitGenerationFields(visitor, fields.generation, limits);
  visitor.Int({"max_completion_tokens", "The same as max_tokens, and goes before it"},
              fields.max_completion_tokens, {1, 2147483647});
  visitor.Bool({"logprobs", "Give the log-probability of each token"}, fields.logprobs);
  visitor.Int({"top_logprobs", "So many likely tokens beside each; needs logprobs"},
              fields.top_logprobs, {0, 20});
  VisitReasoning(visitor, fields);
  visitor.Read({"response_format", "Refused unless text"}, "{\"type\": \"text\"}",
               [](const JsonReader& value) { return ReadResponseFormat(value); });
  visitor.Read({"tools", "Refused unless empty or tool_choice is none"}, "a list",
               [&](const JsonReader& value) { return ReadTools(request, value); });
  visitor.Read({"tool_choice", "Refused if it calls tools"}, "none or auto",
               [](const JsonReader& value) { return ReadToolChoice(value); });
  visitor.Ignored({"parallel_tool_calls", "No tools are called"});
  visitor.Refused({"functions", "leave it out"});
  visitor.Refused({"function_call", "leave it out"});
  visitor.Refused({"chat_template", "start the server with --chat-template"});
  visitor.Refused({"add_special_tokens", "leave it out: the chat template writes them"});
  visitor.Refused({"echo", "leave it out; completions have it"});
}

Status CheckTogether(const JsonReader& request, const ChatFields& fields) {
  if (!request.Has("messages")) {
    return request.Mismatch("messages", "a list of messages");
  }
  if (fields.top_logprobs.value_or(0) > 0 && !fields.logprobs) {
    return request.Mismatch("top_logprobs", "\"logprobs\": true beside it");
  }
  return Ok();
}

// What was said closest to the template counts.
Json TemplateArguments(const ChatFields& fields) {
  Json arguments = fields.template_arguments;
  const auto said = [&arguments](std::string_view name) -> std::optional<bool> {
    const Json* value = arguments.Find(name);
    return value != nullptr && value->is_bool() ? std::optional(value->as_bool()) : std::nullopt;
  };
  std::optional<bool> thinking = said("thinking");
  if (!thinking) thinking = said("enable_thinking");
  if (!thinking) thinking = fields.thinking;
  if (!thinking) thinking = fields.enable_thinking;
  if (!thinking && fields.reasoning_effort == "none") thinking = false;
  for (const char* name : {"thinking", "enable_thinking"}) {
    if (thinking && !said(name)) arguments.Set(name, *thinking);
  }
  if (!fields.reasoning_effort.empty() && arguments.Find("reasoning_effort") == nullptr) {
    arguments.Set("reasoning_effort", fields.reasoning_effort);
  }
  return arguments;
}

ReasoningWish WishOf(const ChatFields& fields) {
  if (!fields.include_reasoning) return ReasoningWish::kHidden;
  return fields.separate_reasoning ? ReasoningWish::kAsServed : ReasoningWish::kInline;
}

Result<ChatRequest> MakeRequest(const JsonReader& body, ChatFields fields) {
  ChatRequest request;
  request.template_arguments = TemplateArguments(fields);
  request.reasoning = WishOf(fields);
  request.continue_final_message = fields.continue_final_message || fields.chat.prefix;
  FATHOM_TRY(request.add_generation_prompt,
             AddsGenerationPrompt(body, {fields.chat.messages, fields.add_generation_prompt,
                                         request.continue_final_message}));
  request.conversation.messages = std::move(fields.chat.messages);
  request.generation = std::move(fields.generation);
  if (fields.logprobs) request.generation.logprobs = fields.top_logprobs.value_or(0);
  return request;
}

}  // namespace

Result<ChatRequest> ParseChatRequest(std::string_view body, const RequestLimits& limits) {
  FATHOM_TRY(const Json json, ParseRequestBody(body, kMostValues));
  const JsonReader request = RequestReader(json);
  FieldReader reader(request);
  ChatFields fields;
  VisitChat(reader, fields, request, limits);
  FATHOM_OK(reader.status());
  FATHOM_OK(CheckTogether(request, fields));
  if (fields.max_completion_tokens) fields.generation.max_tokens = fields.max_completion_tokens;
  FATHOM_OK(CheckGeneration(request, fields.generation));
  fields.generation.unknown_fields = reader.UnknownFields();
  return MakeRequest(request, std::move(fields));
}

void ListChatFields(FieldVisitor& visitor) {
  const Json nothing = Json::MakeObject();
  ChatFields fields;
  VisitChat(visitor, fields, RequestReader(nothing), {});
}

}  // namespace fathom
