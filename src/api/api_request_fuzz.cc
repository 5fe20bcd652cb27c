// Any bytes as the body of a request: either a request inside its limits, or an error that a client
// can read.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/api_error.h"
#include "api/chat_request.h"
#include "api/completion_request.h"
#include "api/generation_options.h"
#include "api/tokenize_request.h"
#include "base/check.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr RequestLimits kLimits = {.vocab = 300};

void CheckError(const Error& error) {
  const ApiError api = FromError(error);
  FATHOM_CHECK(api.status == 400 && !api.message.empty());
  const Json body = ParseJson(api.Body(), "body").value();
  FATHOM_CHECK(body.Find("error")->Find("message")->is_string());
  FATHOM_CHECK(api.param.size() <= 110 && api.message.size() <= 1500);
  FATHOM_CHECK(!api.log_message.empty() && api.log_message.size() <= 500);
}

void CheckIds(const std::vector<int32_t>& ids) {
  for (const int32_t id : ids) FATHOM_CHECK(id >= 0 && id < kLimits.vocab);
}

void CheckGenerationOptions(const GenerationOptions& options) {
  const auto within = [](const auto& value, double low, double high) {
    return !value || (static_cast<double>(*value) >= low && static_cast<double>(*value) <= high);
  };
  FATHOM_CHECK(within(options.sampling.temperature, 0, 2));
  FATHOM_CHECK(within(options.sampling.top_p, 0, 1) && options.sampling.top_p != 0);
  FATHOM_CHECK(within(options.sampling.top_k, 0, 2147483647));
  FATHOM_CHECK(within(options.sampling.min_p, 0, 1));
  FATHOM_CHECK(within(options.sampling.repetition_penalty, 0.01, 100));
  FATHOM_CHECK(within(options.sampling.presence_penalty, -2, 2));
  FATHOM_CHECK(within(options.sampling.frequency_penalty, -2, 2));
  FATHOM_CHECK(options.n >= 1 && options.n <= 128);
  FATHOM_CHECK(within(options.max_tokens, 1, 2147483647) && options.min_tokens >= 0);
  FATHOM_CHECK(!options.max_tokens || options.min_tokens <= *options.max_tokens);
  FATHOM_CHECK(within(options.logprobs, 0, 20));
  FATHOM_CHECK(options.stop.size() <= 16);
  for (const std::string& stop : options.stop) FATHOM_CHECK(!stop.empty());
  std::set<int32_t> biased;
  for (const auto& [id, bias] : options.logit_bias) {
    FATHOM_CHECK(id >= 0 && id < kLimits.vocab && bias >= -100 && bias <= 100);
    FATHOM_CHECK(biased.insert(id).second);
  }
  CheckIds(options.stop_token_ids);
  CheckIds(options.allowed_token_ids);
  FATHOM_CHECK(options.unknown_fields.size() <= 16);
}

void CheckMessages(const Json& messages) {
  FATHOM_CHECK(!messages.as_array().empty());
  for (const Json& message : messages.as_array()) {
    FATHOM_CHECK(message.Find("role")->is_string());
    const Json& content = *message.Find("content");
    FATHOM_CHECK(content.is_string() || (content.is_null() && message.Find("tool_calls")));
    FATHOM_CHECK(message.Find("reasoning_content") == nullptr);
  }
}

void CheckChat(std::string_view body) {
  const auto request = ParseChatRequest(body, kLimits);
  if (!request.ok()) return CheckError(request.error());
  CheckGenerationOptions(request->generation);
  CheckMessages(request->conversation.messages);
  FATHOM_CHECK(request->template_arguments.is_object());
  FATHOM_CHECK(!(request->continue_final_message && request->add_generation_prompt));
  const Json& last = request->conversation.messages.as_array().back();
  FATHOM_CHECK(!request->continue_final_message || last.Find("content")->is_string());
}

void CheckCompletion(std::string_view body) {
  const auto request = ParseCompletionRequest(body, kLimits);
  if (!request.ok()) return CheckError(request.error());
  CheckGenerationOptions(request->generation);
  FATHOM_CHECK(!request->prompts.empty());
  for (const CompletionPrompt& prompt : request->prompts) {
    const auto* ids = std::get_if<std::vector<int32_t>>(&prompt);
    if (ids == nullptr) continue;
    FATHOM_CHECK(!ids->empty());
    CheckIds(*ids);
  }
}

void CheckTokenize(std::string_view body) {
  const auto request = ParseTokenizeRequest(body);
  if (!request.ok()) return CheckError(request.error());
  FATHOM_CHECK(request->prompt.has_value() != request->conversation.has_value());
  if (request->conversation) CheckMessages(request->conversation->messages);
}

void CheckDetokenize(std::string_view body) {
  const auto request = ParseDetokenizeRequest(body, kLimits);
  if (!request.ok()) return CheckError(request.error());
  CheckIds(request->tokens);
}

}  // namespace
}  // namespace fathom

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 4) {
    case 0:
      fathom::CheckChat(body);
      break;
    case 1:
      fathom::CheckCompletion(body);
      break;
    case 2:
      fathom::CheckTokenize(body);
      break;
    default:
      fathom::CheckDetokenize(body);
      break;
  }
  return 0;
}
