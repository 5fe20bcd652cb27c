#ifndef FATHOM_API_COMPLETION_REQUEST_H_
#define FATHOM_API_COMPLETION_REQUEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/field_visitor.h"
#include "api/generation_options.h"
#include "base/result.h"

namespace fathom {

// A text, or the ids themselves (at least one).
using CompletionPrompt = std::variant<std::string, std::vector<int32_t>>;

// POST /v1/completions. docs/http-api.md has all fields.
struct CompletionRequest {
  GenerationOptions generation;
  std::vector<CompletionPrompt> prompts;  // at least one; answer i * n + k is the k-th to prompt i
  bool echo = false;                      // the text begins with the prompt's
  bool add_special_tokens = true;         // BOS before a text, where the tokenizer adds one
};

// Reads a request's body; errors as ParseChatRequest.
Result<CompletionRequest> ParseCompletionRequest(std::string_view body,
                                                 const RequestLimits& limits);

// Walks all fields with their defaults, for the documentation.
void ListCompletionFields(FieldVisitor& visitor);

}  // namespace fathom

#endif  // FATHOM_API_COMPLETION_REQUEST_H_
