#ifndef FATHOM_API_CHAT_RESPONSE_H_
#define FATHOM_API_CHAT_RESPONSE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/reasoning_splitter.h"
#include "api/response.h"
#include "text/tokenizer.h"

namespace fathom {

// The body of the answer to a chat request that was not streamed.
std::string ChatResponseBody(const ResponseHead& head, const ReplyOptions& options,
                             const Tokenizer& tokenizer, std::span<const FinishedChoice> choices,
                             const Usage& usage);

// The stream of chunks of one chat request. Each function appends whole server-sent events
// ("data: {...}\n\n") to `out`:
//   - a choice begins with its role, sent with its first token, so that it marks the time to it;
//   - no delta has both reasoning and content; "content" is absent beside reasoning;
//   - "finish_reason" is null in all chunks of a choice but the last;
//   - log-probabilities and ids of tokens whose text is held back (or is no text at all) come with
//     the next chunk of the choice, so that each token's are there once and in order.
// The server writes kDoneEvent after the last, or ErrorEvent and kDoneEvent.
//
// Threads   one at a time.
// Lifetime  the tokenizer must outlive it.
// Cost      what is the same in all chunks is made once; a chunk is appended without a tree of
// JSON.
class ChatChunkWriter {
 public:
  ChatChunkWriter(const ResponseHead& head, const ReplyOptions& options,
                  const Tokenizer& tokenizer);

  // A token of choice `choice` (from 0 to below options.n) and the text it set free. `usage` is so
  // far, and read for continuous_usage only.
  void Token(int64_t choice, const SampledToken& token, const ReplyDelta& delta, const Usage& usage,
             std::string& out);
  // The choice's last chunks: text that was held back, then how it ended. Call it once a choice.
  void End(int64_t choice, const ReplyDelta& rest, const ChoiceEnd& end, const Usage& usage,
           std::string& out);
  // The chunk of the whole usage, after the last End; nothing unless include_usage.
  void WholeUsage(const Usage& usage, std::string& out) const;

 private:
  struct Choice {
    bool begun = false;
    bool ended = false;
    std::vector<SampledToken> waiting;  // tokens whose log-probabilities or ids were not sent
  };

  Choice& At(int64_t index);
  void Begin(int64_t index, const Usage& usage, std::string& out);
  void Text(int64_t index, const ReplyDelta& delta, const Usage& usage, std::string& out);
  void Reasoning(int64_t index, const std::string& text, const Usage& usage, std::string& out);
  void Content(int64_t index, const std::string& text, const Usage& usage, std::string& out);
  // A chunk's beginning, up to the members of its delta.
  void Open(int64_t index, std::string& out) const;
  // After the delta: what waits of the choice, and how it ended (null: it goes on).
  void AppendRest(Choice& choice, const ChoiceEnd* end, std::string& out);
  void Close(const Usage& usage, std::string& out) const;

  std::string head_;        // up to the index of a choice
  std::string prompt_ids_;  // ,"prompt_token_ids":[...], or ""
  ReplyOptions options_;
  const Tokenizer& tokenizer_;
  std::vector<Choice> choices_;
};

}  // namespace fathom

#endif  // FATHOM_API_CHAT_RESPONSE_H_
