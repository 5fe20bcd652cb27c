#ifndef FATHOM_API_RESPONSE_H_
#define FATHOM_API_RESPONSE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/api_error.h"
#include "api/generation_options.h"
#include "api/reasoning_field.h"
#include "api/reasoning_splitter.h"

namespace fathom {

// What answers to chats and completions are made of.

// The same in all chunks of an answer.
struct ResponseHead {
  std::string id;       // "chatcmpl-...", "cmpl-..."
  int64_t created = 0;  // seconds since 1970
  std::string model;
  std::string system_fingerprint;                      // "": null
  std::vector<std::vector<int32_t>> prompt_token_ids;  // of each prompt; read for return_token_ids
};

struct Usage {
  int64_t prompt_tokens = 0;
  int64_t completion_tokens = 0;
  int64_t cached_tokens = 0;     // of the prompt
  int64_t reasoning_tokens = 0;  // of the completion
};

struct TokenLogprob {
  int32_t id = 0;
  double logprob = 0;
};

// A token of an answer. Log-probabilities are read where they were asked for.
struct SampledToken {
  int32_t id = 0;
  double logprob = 0;
  std::vector<TokenLogprob> top = {};  // the likeliest first
};

// The stop text or the token id that ended an answer, if either did.
using StopReason = std::variant<std::monostate, std::string, int64_t>;

struct ChoiceEnd {
  std::string finish_reason;  // "stop", "length"
  StopReason stop_reason = {};
};

// What a request asked of its answer's form.
struct ReplyOptions {
  ReasoningField reasoning = ReasoningField::kReasoningContent;
  bool logprobs = false;
  bool return_token_ids = false;
  bool include_usage = false;     // of a stream: a last chunk with the usage, null in the others
  bool continuous_usage = false;  // with it: the usage so far in the others
  int64_t n = 1;                  // choices to each prompt
};

ReplyOptions ReplyOptionsFor(const GenerationOptions& generation, ReasoningField reasoning);

// A whole answer.
struct FinishedChoice {
  ReplyDelta reply;
  bool inside_reasoning = false;     // it ended there: there is no content
  std::vector<SampledToken> tokens;  // read for logprobs and return_token_ids
  ChoiceEnd end;
};

// A line that keeps a connection open and that clients pass over.
inline constexpr std::string_view kKeepAliveEvent = ": keep-alive\n\n";
inline constexpr std::string_view kDoneEvent = "data: [DONE]\n\n";
// An error inside a stream, as an event.
std::string ErrorEvent(const ApiError& error);

// Pieces of the JSON of answers, each appended to `out`.
// {"id":...,"object":...,"created":...,"model":...,"system_fingerprint":...  (the object stays
// open)
void AppendHead(const ResponseHead& head, std::string_view object, std::string& out);
// {"prompt_tokens":...}
void AppendUsage(const Usage& usage, std::string& out);
// ,"finish_reason":"stop","stop_reason":null
void AppendEnd(const ChoiceEnd& end, std::string& out);
// ,"token_ids":[...]
void AppendTokenIds(std::span<const SampledToken> tokens, std::string& out);

}  // namespace fathom

#endif  // FATHOM_API_RESPONSE_H_
