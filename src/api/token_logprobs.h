#ifndef FATHOM_API_TOKEN_LOGPROBS_H_
#define FATHOM_API_TOKEN_LOGPROBS_H_

#include <cstdint>
#include <span>
#include <string>

#include "api/response.h"
#include "text/tokenizer.h"

namespace fathom {

// Log-probabilities as chats and completions write them, appended to `out`. What JSON cannot say
// (minus infinity) becomes -9999, as vLLM has it.

// {"content":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[...]}]}
// Where a token is part of a character only "bytes" is exact; "token" has U+FFFD.
void AppendChatLogprobs(const Tokenizer& tokenizer, std::span<const SampledToken> tokens,
                        std::string& out);

// {"tokens":["a"],"token_logprobs":[-0.5],"top_logprobs":[{"a":-0.5}],"text_offset":[0]}
// Where a token is part of a character its name is "bytes:\xe4\xbd", as OpenAI writes it, so that
// no two tokens have the same. `offset`, in characters, is that of the first token and becomes that
// of the next.
void AppendCompletionLogprobs(const Tokenizer& tokenizer, std::span<const SampledToken> tokens,
                              int64_t& offset, std::string& out);

}  // namespace fathom

#endif  // FATHOM_API_TOKEN_LOGPROBS_H_
