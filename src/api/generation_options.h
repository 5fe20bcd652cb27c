#ifndef FATHOM_API_GENERATION_OPTIONS_H_
#define FATHOM_API_GENERATION_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/field_visitor.h"
#include "base/json.h"
#include "base/result.h"
#include "spec/sampling.h"

namespace fathom {

// What the server knows that a request is held against.
struct RequestLimits {
  int64_t vocab = 0;  // ids are from 0 to below it
};

// What chats and completions ask for alike. A field that was not given has its default; an empty
// optional is the server's to decide.
struct GenerationOptions {
  std::string model;        // "": not named
  SamplingChoice sampling;  // top_k 0: all
  std::optional<int64_t> seed;
  std::vector<std::pair<int32_t, double>> logit_bias;  // each id once
  std::vector<int32_t> allowed_token_ids;              // empty: all
  std::vector<std::string> bad_words;                  // none blank

  int64_t n = 1;  // answers to each prompt
  std::optional<int64_t> max_tokens;
  int64_t min_tokens = 0;         // at most max_tokens
  std::vector<std::string> stop;  // none empty
  std::vector<int32_t> stop_token_ids;
  bool ignore_eos = false;

  bool stream = false;
  bool include_usage = false;           // of a stream: a last chunk with the usage
  bool continuous_usage_stats = false;  // the usage so far in each chunk too
  std::optional<int64_t> logprobs;      // none: not asked for; else so many likely tokens beside
  bool include_stop_str_in_output = false;
  bool skip_special_tokens = true;
  bool return_token_ids = false;

  std::optional<int64_t> truncate_prompt_tokens;  // the last of the prompt that are kept
  int64_t priority = 0;                           // lower goes first
  std::optional<int64_t> timeout_seconds;
  std::string request_id;  // "": the server makes one

  std::vector<std::string> unknown_fields;  // to be logged, each name once
};

// The one list of these fields, save `logprobs`, which chats and completions spell differently.
void VisitGenerationFields(FieldVisitor& visitor, GenerationOptions& options,
                           const RequestLimits& limits);

// What no single field can say: min_tokens over max_tokens.
Status CheckGeneration(const JsonReader& request, const GenerationOptions& options);

// Holds what a checkpoint recommends for sampling against the ranges that requests have: what no
// request could ask for is none's default either. `source` names the file in errors (kBadInput).
Status CheckDefaults(const SamplingChoice& defaults, const std::string& source);

// Most values (as ParseJson counts them) of a body that has texts, and of one that may have prompts
// of ids: many prompts of a long context each.
inline constexpr size_t kMostValues = size_t{1} << 18;
inline constexpr size_t kMostValuesWithIds = size_t{1} << 20;

// The body of a request as a JSON object. Errors as ParseJson, and what is no object.
Result<Json> ParseRequestBody(std::string_view body, size_t most_values);
// For reading it; errors lie in "request". The body must outlive the reader.
JsonReader RequestReader(const Json& body);

}  // namespace fathom

#endif  // FATHOM_API_GENERATION_OPTIONS_H_
