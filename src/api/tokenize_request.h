#ifndef FATHOM_API_TOKENIZE_REQUEST_H_
#define FATHOM_API_TOKENIZE_REQUEST_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_visitor.h"
#include "api/generation_options.h"
#include "api/input_text.h"
#include "base/json.h"
#include "base/result.h"
#include "text/text_assets.h"
#include "text/tokenizer.h"

namespace fathom {

// POST /tokenize: a text or messages to ids, as the same text in a completion or chat would become.
struct TokenizeRequest {
  std::string model;  // "": not named
  std::optional<std::string> prompt;
  std::optional<Conversation> conversation;  // exactly one of the two is there
  bool add_special_tokens = true;            // of a prompt: BOS, where the tokenizer adds one
  bool add_generation_prompt = true;
  bool continue_final_message = false;
  bool return_token_strs = false;
  Json template_arguments = Json::MakeObject();
  std::vector<std::string> unknown_fields;
};

// Errors as ParseChatRequest.
Result<TokenizeRequest> ParseTokenizeRequest(std::string_view body);

// The ids asked for; `date` as in PromptOptions. Errors as RenderPrompt and RawPrompt.
Result<std::vector<int32_t>> Tokenize(const TextAssets& assets, const TokenizeRequest& request,
                                      const std::string& date);

// {"count":2,"max_model_len":4096,"tokens":[1,2],"token_strs":["a","b"]}; token_strs is null unless
// asked for.
std::string TokenizeResponseBody(const Tokenizer& tokenizer, const TokenizeRequest& request,
                                 std::span<const int32_t> ids, int64_t max_model_len);

// POST /detokenize: ids to text, control tokens included.
struct DetokenizeRequest {
  std::string model;
  std::vector<int32_t> tokens;
  std::vector<std::string> unknown_fields;
};

Result<DetokenizeRequest> ParseDetokenizeRequest(std::string_view body,
                                                 const RequestLimits& limits);

// {"prompt":"..."}
std::string DetokenizeResponseBody(const Tokenizer& tokenizer, std::span<const int32_t> ids);

// Walk all fields with their defaults, for the documentation.
void ListTokenizeFields(FieldVisitor& visitor);
void ListDetokenizeFields(FieldVisitor& visitor);

}  // namespace fathom

#endif  // FATHOM_API_TOKENIZE_REQUEST_H_
