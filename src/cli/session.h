#ifndef FATHOM_CLI_SESSION_H_
#define FATHOM_CLI_SESSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/prompt.h"
#include "api/reasoning_splitter.h"
#include "api/text_stream.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/loaded_model.h"
#include "cli/model_flags.h"
#include "cli/model_folder.h"
#include "cli/reply.h"
#include "cli/run_flags.h"
#include "engine/engine.h"

namespace fathom {

// The model of `fathom run`: answers prompts one after the other.
class Session {
 public:
  // Opens and checks everything that is quick; nothing heavy is read.
  static Result<Session> Open(CommandContext& context, const RunFlags& flags);
  // Loads the weights. From here on Ctrl-C is a flag.
  Status Load();

  // The rendered conversation. Errors: no tokenizer, no template, what the template raises.
  Result<Prompt> Render(const Json& messages) const;

  // Errors (kBadInput), with the numbers: ids outside the vocabulary, no room for an answer.
  Status CheckPrompt(const std::vector<int32_t>& prompt) const;

  // Answers a prompt, once loaded; `raw_text` (may be null) gets the answer as a history keeps it.
  // With `reasoning` kOff everything is text. Errors: those of CheckPrompt and Generate.
  Result<Reply> Answer(std::vector<int32_t> prompt, ReasoningMode reasoning, const ReplySink& sink,
                       std::string* raw_text);

  const ModelFolder& folder() const { return folder_; }
  int64_t max_model_len() const { return engine_.max_model_len; }
  ContextLength context_length() const {
    return {max_model_len(), folder_.checkpoint.config().max_positions};
  }
  double load_seconds() const { return loaded_.seconds; }

 private:
  Session(CommandContext& context, const RunFlags& flags, ModelFolder folder)
      : context_(&context), flags_(&flags), folder_(std::move(folder)) {}

  Result<GenerationRequest> MakeRequest(std::vector<int32_t> prompt) const;
  std::optional<TextStream> MakeStream(ReasoningMode reasoning) const;

  CommandContext* context_;
  const RunFlags* flags_;
  ModelFolder folder_;
  EngineConfig engine_;
  LoadedModel loaded_;
};

}  // namespace fathom

#endif  // FATHOM_CLI_SESSION_H_
