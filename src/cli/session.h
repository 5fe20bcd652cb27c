#ifndef FATHOM_CLI_SESSION_H_
#define FATHOM_CLI_SESSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/text_stream.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/loaded_model.h"
#include "cli/model_folder.h"
#include "cli/reply.h"
#include "cli/run_flags.h"

namespace fathom {

// `fathom run` with its model loaded: answers prompts one after the other.
class Session {
 public:
  // Opens and checks everything that is quick, then loads the weights.
  static Result<Session> Start(CommandContext& context, const RunFlags& flags);

  // The rendered conversation. Errors: no tokenizer, no template, what the template raises.
  Result<Prompt> Render(const Json& messages) const;

  // Answers a prompt; `raw_text` (may be null) gets the answer as a history keeps it. Without
  // `reasoning` everything is text. Errors: a prompt that leaves no room for an answer, with the
  // numbers; those of Generate.
  Result<Reply> Answer(std::vector<int32_t> prompt, ReasoningMode reasoning, const ReplySink& sink,
                       std::string* raw_text);

  const ModelFolder& folder() const { return folder_; }
  int64_t max_model_len() const { return max_model_len_; }
  double load_seconds() const { return loaded_.load_seconds; }

 private:
  Session(CommandContext& context, const RunFlags& flags, ModelFolder folder)
      : context_(&context), flags_(&flags), folder_(std::move(folder)) {}

  Result<GenerationRequest> MakeRequest(std::vector<int32_t> prompt) const;
  std::optional<TextStream> MakeStream(ReasoningMode reasoning) const;

  CommandContext* context_;
  const RunFlags* flags_;
  ModelFolder folder_;
  LoadedModel loaded_;
  int64_t max_model_len_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_CLI_SESSION_H_
