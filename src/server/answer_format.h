#ifndef FATHOM_SERVER_ANSWER_FORMAT_H_
#define FATHOM_SERVER_ANSWER_FORMAT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/reasoning_splitter.h"
#include "api/response.h"
#include "text/tokenizer.h"

namespace fathom {

// How the choices of one request become the bytes of its answer. The functions are those of
// ChatChunkWriter, and Whole is the body of an answer that is not streamed.
class AnswerFormat {
 public:
  virtual ~AnswerFormat() = default;
  virtual void Token(int64_t choice, const SampledToken& token, const ReplyDelta& delta,
                     const Usage& usage, std::string& out) = 0;
  virtual void End(int64_t choice, const ReplyDelta& rest, const ChoiceEnd& end, const Usage& usage,
                   std::string& out) = 0;
  virtual void WholeUsage(const Usage& usage, std::string& out) const = 0;
  virtual std::string Whole(std::vector<FinishedChoice> choices, const Usage& usage) const = 0;
};

// The tokenizer must outlive the result.
std::unique_ptr<AnswerFormat> MakeChatFormat(ResponseHead head, const ReplyOptions& options,
                                             const Tokenizer& tokenizer);
// `echoes` [prompts]: what the text of each choice begins with; each may be empty.
std::unique_ptr<AnswerFormat> MakeCompletionFormat(ResponseHead head, const ReplyOptions& options,
                                                   std::vector<std::string> echoes,
                                                   const Tokenizer& tokenizer);

}  // namespace fathom

#endif  // FATHOM_SERVER_ANSWER_FORMAT_H_
