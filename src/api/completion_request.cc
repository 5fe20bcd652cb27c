#include "api/completion_request.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/field_reader.h"
#include "api/field_visitor.h"
#include "api/generation_options.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr size_t kMostPrompts = 1024;
constexpr const char* kPrompts = "a text, a list of texts, a list of ids, or a list of those";

Result<std::vector<int32_t>> ReadIdPrompt(const JsonReader& value, int64_t vocab) {
  FATHOM_TRY(std::vector<int32_t> ids, ReadIds(value, vocab));
  if (ids.empty()) return value.Mismatch("", "at least one token id");
  return ids;
}

Result<CompletionPrompt> ReadPrompt(const JsonReader& value, int64_t vocab) {
  if (value.value().is_string()) return CompletionPrompt(value.value().as_string());
  if (!value.value().is_array()) return value.Mismatch("", "a text or a list of token ids");
  FATHOM_TRY(std::vector<int32_t> ids, ReadIdPrompt(value, vocab));
  return CompletionPrompt(std::move(ids));
}

Status ReadPrompts(const JsonReader& value, int64_t vocab, std::vector<CompletionPrompt>& prompts) {
  prompts.clear();
  if (value.value().is_string()) {
    prompts.emplace_back(value.value().as_string());
    return Ok();
  }
  if (!value.value().is_array()) return value.Mismatch("", kPrompts);
  const Json::Array& items = value.value().as_array();
  if (items.empty()) return value.Mismatch("", "at least one prompt");
  if (items[0].is_number()) {
    FATHOM_TRY(std::vector<int32_t> ids, ReadIdPrompt(value, vocab));
    prompts.emplace_back(std::move(ids));
    return Ok();
  }
  if (items.size() > kMostPrompts) {
    return QuotesNothing(
        value.Wrong(Format("{} prompts, expected at most {}", items.size(), kMostPrompts)));
  }
  for (size_t i = 0; i < items.size(); ++i) {
    FATHOM_TRY(CompletionPrompt prompt, ReadPrompt(value.At(i), vocab));
    prompts.push_back(std::move(prompt));
  }
  return Ok();
}

void VisitCompletion(FieldVisitor& visitor, CompletionRequest& request,
                     const RequestLimits& limits) {
  visitor.Read(
      {"prompt", "Each is continued as it is, without the chat template"},
      "a text, a list of texts, ids or lists of ids, required",
      [&](const JsonReader& value) { return ReadPrompts(value, limits.vocab, request.prompts); });
  VisitGenerationFields(visitor, request.generation, limits);
  visitor.Int({"logprobs", "Give the log-probability of each token, with so many likely ones"},
              request.generation.logprobs, {0, 5});
  visitor.Bool({"echo", "The text begins with the prompt's"}, request.echo);
  visitor.Bool({"add_special_tokens", "BOS before a text, where the tokenizer adds one"},
               request.add_special_tokens);
  visitor.Refused({"suffix", "leave it out: the text is continued, not filled in"});
  visitor.Refused({"response_format", "leave it out and ask for the format in words"});
}

Status CheckTogether(const JsonReader& body, const CompletionRequest& request) {
  if (!body.Has("prompt")) return body.Mismatch("prompt", kPrompts);
  if (request.echo && request.generation.logprobs) {
    return QuotesNothing(BadInput("'logprobs' beside 'echo' is not supported",
                                  body.Where() + ": /logprobs",
                                  "leave one of them out; fathom score gives those of a prompt"));
  }
  return CheckGeneration(body, request.generation);
}

}  // namespace

Result<CompletionRequest> ParseCompletionRequest(std::string_view body,
                                                 const RequestLimits& limits) {
  FATHOM_TRY(const Json json, ParseRequestBody(body, kMostValuesWithIds));
  const JsonReader place = RequestReader(json);
  FieldReader reader(place);
  CompletionRequest request;
  VisitCompletion(reader, request, limits);
  FATHOM_OK(reader.status());
  FATHOM_OK(CheckTogether(place, request));
  request.generation.unknown_fields = reader.UnknownFields();
  return request;
}

void ListCompletionFields(FieldVisitor& visitor) {
  CompletionRequest request;
  VisitCompletion(visitor, request, {});
}

}  // namespace fathom
