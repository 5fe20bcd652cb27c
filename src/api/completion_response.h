#ifndef FATHOM_API_COMPLETION_RESPONSE_H_
#define FATHOM_API_COMPLETION_RESPONSE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/response.h"
#include "text/tokenizer.h"

namespace fathom {

// Choice i of a request answers prompt i / options.n. Completions know no reasoning: the text is
// reply.text, with the prompt's text before it where `echo` was asked for.

// The body of the answer to a completion request that was not streamed.
std::string CompletionResponseBody(const ResponseHead& head, const ReplyOptions& options,
                                   const Tokenizer& tokenizer,
                                   std::span<const FinishedChoice> choices, const Usage& usage);

// The stream of chunks of one completion request; otherwise as ChatChunkWriter. There is no chunk
// of a role: a choice begins with its first text.
class CompletionChunkWriter {
 public:
  // `choices`: of all prompts together.
  CompletionChunkWriter(const ResponseHead& head, const ReplyOptions& options, int64_t choices,
                        const Tokenizer& tokenizer);

  void Token(int64_t choice, const SampledToken& token, std::string_view text, const Usage& usage,
             std::string& out);
  void End(int64_t choice, std::string_view rest, const ChoiceEnd& end, const Usage& usage,
           std::string& out);
  void WholeUsage(const Usage& usage, std::string& out) const;

 private:
  struct Choice {
    bool begun = false;
    bool ended = false;
    int64_t text_offset = 0;            // in characters, of the first token that waits
    std::vector<SampledToken> waiting;  // tokens whose log-probabilities or ids were not sent
  };

  Choice& At(int64_t index);
  void Chunk(int64_t index, std::string_view text, const ChoiceEnd* end, const Usage& usage,
             std::string& out);
  void AppendLogprobs(Choice& choice, std::string& out);
  void AppendIds(int64_t index, Choice& choice, std::string& out);

  std::string head_;                     // up to the index of a choice
  std::vector<std::string> prompt_ids_;  // of each prompt: [1,2,3]
  ReplyOptions options_;
  const Tokenizer& tokenizer_;
  std::vector<Choice> choices_;
};

}  // namespace fathom

#endif  // FATHOM_API_COMPLETION_RESPONSE_H_
