#ifndef FATHOM_CLI_REPLY_H_
#define FATHOM_CLI_REPLY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/reasoning_splitter.h"
#include "api/text_stream.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/model_flags.h"
#include "engine/engine.h"

namespace fathom {

// A finished answer, with what it took.
struct Reply {
  std::vector<int32_t> ids;
  std::string text, reasoning;
  FinishReason finish = FinishReason::kStop;
  std::optional<Error> error;  // of kError
  int64_t prompt_tokens = 0;
  int64_t reasoning_tokens = 0;
  bool inside_reasoning = false;  // when it ended
  double prefill_seconds = 0;     // until the first token
  double decode_seconds = 0;      // from the first token to the last

  double PrefillRate() const;  // prompt tokens a second; 0 when there was nothing to measure
  double DecodeRate() const;   // tokens after the first a second; 0 likewise
  // "34 tokens in 1.2 s (28.3/s), prompt of 12 tokens in 0.1 s (120.0/s), stop\n"
  std::string Summary() const;
  // What to do when the answer ended before it began: a line, or "" when there is nothing to say.
  std::string Advice(const ContextLength& length) const;
  // The one object that `run --json` prints. Without text (no tokenizer) `text` is null.
  Json Report(bool has_text, double load_seconds) const;
};

// Gets the answer as it appears: the id, and the text it set free (empty without a tokenizer). An
// error ends the answer.
using ReplySink = std::function<Status(std::optional<int32_t> id, const ReplyDelta& delta)>;

// Runs one request to its end. `stream` turns ids into text, or is null. `reading` hears of the
// prompt's tokens until the first token of the answer. Ctrl-C ends the answer with kCancelled and
// is then forgotten. Errors: those of Engine::Submit and of the sink.
Result<Reply> Generate(CommandContext& context, Engine& engine, GenerationRequest request,
                       TextStream* stream, Progress& reading, const ReplySink& sink);

}  // namespace fathom

#endif  // FATHOM_CLI_REPLY_H_
