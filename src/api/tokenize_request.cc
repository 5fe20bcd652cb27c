#include "api/tokenize_request.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/chat_messages.h"
#include "api/field_reader.h"
#include "api/field_visitor.h"
#include "api/generation_options.h"
#include "api/input_text.h"
#include "api/json_text.h"
#include "api/prompt.h"
#include "api/tool_shapes.h"
#include "base/json.h"
#include "base/result.h"
#include "text/text_assets.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

struct TokenizeFields {
  TokenizeRequest request;
  ChatMessages chat;
  Json tools;  // null: none
  std::optional<bool> add_generation_prompt;
};

Status ReadPrompt(const JsonReader& value, std::optional<std::string>& prompt) {
  if (!value.value().is_string()) return value.Mismatch("", "a text");
  prompt = value.value().as_string();
  return Ok();
}

Status ReadMessages(const JsonReader& value, ChatMessages& chat) {
  FATHOM_TRY(chat, ReadChatMessages(value));
  return Ok();
}

Status ReadTools(const JsonReader& value, Json& tools) {
  if (!value.value().is_array()) return value.Mismatch("", "a list of tools");
  FATHOM_OK(CheckTools(value));
  if (!value.value().as_array().empty()) tools = value.value();
  return Ok();
}

Status ReadIdList(const JsonReader& value, int64_t vocab, std::vector<int32_t>& ids) {
  FATHOM_TRY(ids, ReadIds(value, vocab));
  return Ok();
}

void VisitTokenize(FieldVisitor& visitor, TokenizeFields& fields) {
  TokenizeRequest& request = fields.request;
  visitor.Text({"model", "The name of a served model; not given: the only one"}, request.model);
  visitor.Read({"prompt", "The text"}, "a text; this or messages",
               [&](const JsonReader& value) { return ReadPrompt(value, request.prompt); });
  visitor.Read({"messages", "The conversation, rendered by the chat template"},
               "a list of messages",
               [&](const JsonReader& value) { return ReadMessages(value, fields.chat); });
  visitor.Read({"tools", "What the chat template may name beside the messages"}, "a list of tools",
               [&](const JsonReader& value) { return ReadTools(value, fields.tools); });
  visitor.Bool({"add_special_tokens", "BOS before a prompt, where the tokenizer adds one"},
               request.add_special_tokens);
  visitor.Bool({"add_generation_prompt", "As in chats"}, fields.add_generation_prompt);
  visitor.Bool({"continue_final_message", "As in chats"}, request.continue_final_message);
  visitor.Read({"chat_template_kwargs", "As in chats"}, "an object", [&](const JsonReader& value) {
    return ReadTemplateArguments(value, request.template_arguments);
  });
  visitor.Bool({"return_token_strs", "Give the text of each token too"}, request.return_token_strs);
  visitor.Refused({"chat_template", "start the server with --chat-template"});
}

void VisitDetokenize(FieldVisitor& visitor, DetokenizeRequest& request,
                     const RequestLimits& limits) {
  visitor.Text({"model", "The name of a served model; not given: the only one"}, request.model);
  visitor.Read({"tokens", "The ids"}, "token ids, required", [&](const JsonReader& value) {
    return ReadIdList(value, limits.vocab, request.tokens);
  });
}

}  // namespace

Result<TokenizeRequest> ParseTokenizeRequest(std::string_view body) {
  FATHOM_TRY(const Json json, ParseRequestBody(body, kMostValues));
  const JsonReader place = RequestReader(json);
  FieldReader reader(place);
  TokenizeFields fields;
  VisitTokenize(reader, fields);
  FATHOM_OK(reader.status());
  TokenizeRequest request = std::move(fields.request);
  const bool has_messages = place.Has("messages");
  if (request.prompt.has_value() == has_messages) {
    return place.Mismatch("prompt", "either \"prompt\" or \"messages\"");
  }
  if (!has_messages && !fields.tools.is_null()) {
    return place.Mismatch("tools", "\"messages\" beside them");
  }
  request.continue_final_message = request.continue_final_message || fields.chat.prefix;
  FATHOM_TRY(request.add_generation_prompt,
             AddsGenerationPrompt(place, {fields.chat.messages, fields.add_generation_prompt,
                                          request.continue_final_message}));
  if (has_messages) {
    request.conversation = Conversation{std::move(fields.chat.messages), std::move(fields.tools)};
  }
  request.unknown_fields = reader.UnknownFields();
  return request;
}

Result<std::vector<int32_t>> Tokenize(const TextAssets& assets, const TokenizeRequest& request,
                                      const std::string& date) {
  if (request.prompt) {
    FATHOM_TRY(Prompt prompt,
               RawPrompt(assets, *request.prompt, {.add_bos = request.add_special_tokens}));
    return std::move(prompt.ids);
  }
  PromptOptions options;
  options.add_generation_prompt = request.add_generation_prompt;
  options.continue_final_message = request.continue_final_message;
  options.template_arguments = request.template_arguments;
  options.date = date;
  FATHOM_TRY(Prompt prompt, RenderPrompt(assets, *request.conversation, options));
  return std::move(prompt.ids);
}

std::string TokenizeResponseBody(const Tokenizer& tokenizer, const TokenizeRequest& request,
                                 std::span<const int32_t> ids, int64_t max_model_len) {
  std::string out = "{\"count\":";
  AppendJsonInt(static_cast<int64_t>(ids.size()), out);
  out += ",\"max_model_len\":";
  AppendJsonInt(max_model_len, out);
  out += ",\"tokens\":";
  AppendJsonInts(ids, out);
  out += ",\"token_strs\":";
  if (!request.return_token_strs) return out + "null}";
  out += '[';
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) out += ',';
    AppendJsonString(tokenizer.DecodeBytes(ids.subspan(i, 1), false), out);
  }
  return out + "]}";
}

Result<DetokenizeRequest> ParseDetokenizeRequest(std::string_view body,
                                                 const RequestLimits& limits) {
  FATHOM_TRY(const Json json, ParseRequestBody(body, kMostValuesWithIds));
  const JsonReader place = RequestReader(json);
  FieldReader reader(place);
  DetokenizeRequest request;
  VisitDetokenize(reader, request, limits);
  FATHOM_OK(reader.status());
  if (!place.Has("tokens")) return place.Mismatch("tokens", "a list of token ids");
  request.unknown_fields = reader.UnknownFields();
  return request;
}

std::string DetokenizeResponseBody(const Tokenizer& tokenizer, std::span<const int32_t> ids) {
  std::string out = "{\"prompt\":";
  AppendJsonString(tokenizer.Decode(ids, false), out);
  return out + "}";
}

void ListTokenizeFields(FieldVisitor& visitor) {
  TokenizeFields fields;
  VisitTokenize(visitor, fields);
}

void ListDetokenizeFields(FieldVisitor& visitor) {
  DetokenizeRequest request;
  VisitDetokenize(visitor, request, {});
}

}  // namespace fathom
