#include "api/response.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "api/api_error.h"
#include "api/generation_options.h"
#include "api/json_text.h"
#include "api/reasoning_field.h"

namespace fathom {
namespace {

void AppendStopReason(const StopReason& reason, std::string& out) {
  if (const auto* text = std::get_if<std::string>(&reason)) {
    AppendJsonString(*text, out);
  } else if (const auto* id = std::get_if<int64_t>(&reason)) {
    AppendJsonInt(*id, out);
  } else {
    out += "null";
  }
}

}  // namespace

ReplyOptions ReplyOptionsFor(const GenerationOptions& generation, ReasoningField reasoning) {
  ReplyOptions options;
  options.reasoning = reasoning;
  options.logprobs = generation.logprobs.has_value();
  options.return_token_ids = generation.return_token_ids;
  options.include_usage = generation.include_usage;
  options.continuous_usage = generation.include_usage && generation.continuous_usage_stats;
  options.n = generation.n;
  return options;
}

std::string ErrorEvent(const ApiError& error) { return "data: " + error.Body() + "\n\n"; }

void AppendHead(const ResponseHead& head, std::string_view object, std::string& out) {
  out += "{\"id\":";
  AppendJsonString(head.id, out);
  out += ",\"object\":";
  AppendJsonString(object, out);
  out += ",\"created\":";
  AppendJsonInt(head.created, out);
  out += ",\"model\":";
  AppendJsonString(head.model, out);
  out += ",\"system_fingerprint\":";
  if (head.system_fingerprint.empty()) {
    out += "null";
  } else {
    AppendJsonString(head.system_fingerprint, out);
  }
}

void AppendUsage(const Usage& usage, std::string& out) {
  const auto add = [&out](std::string_view key, int64_t number) {
    out += key;
    AppendJsonInt(number, out);
  };
  add("{\"prompt_tokens\":", usage.prompt_tokens);
  add(",\"completion_tokens\":", usage.completion_tokens);
  add(",\"total_tokens\":", usage.prompt_tokens + usage.completion_tokens);
  add(",\"prompt_tokens_details\":{\"cached_tokens\":", usage.cached_tokens);
  add("},\"completion_tokens_details\":{\"reasoning_tokens\":", usage.reasoning_tokens);
  add("},\"prompt_cache_hit_tokens\":", usage.cached_tokens);
  add(",\"prompt_cache_miss_tokens\":", usage.prompt_tokens - usage.cached_tokens);
  out += '}';
}

void AppendEnd(const ChoiceEnd& end, std::string& out) {
  out += ",\"finish_reason\":";
  AppendJsonString(end.finish_reason, out);
  out += ",\"stop_reason\":";
  AppendStopReason(end.stop_reason, out);
}

void AppendTokenIds(std::span<const SampledToken> tokens, std::string& out) {
  out += ",\"token_ids\":[";
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) out += ',';
    AppendJsonInt(tokens[i].id, out);
  }
  out += ']';
}

}  // namespace fathom
