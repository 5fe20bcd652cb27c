#include "cli/session.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/input_text.h"
#include "api/prompt.h"
#include "api/reasoning_splitter.h"
#include "api/text_stream.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/loaded_model.h"
#include "cli/model_folder.h"
#include "cli/model_source.h"
#include "cli/progress_printer.h"
#include "cli/reply.h"
#include "cli/run_flags.h"
#include "cli/sampling_flags.h"
#include "engine/engine.h"
#include "engine/sampling_params.h"
#include "text/text_assets.h"

namespace fathom {
namespace {

// What can be refused before the weights are loaded.
Status CheckFolder(const RunFlags& flags, const ModelFolder& folder) {
  const bool needs_text = flags.prompt_ids.empty() || !flags.sampling.stop.empty();
  if (needs_text) {
    FATHOM_TRY([[maybe_unused]] const TextAssets* text,
               NeedText(folder, flags.prompt_ids.empty() ? "a text prompt" : "--stop"));
  }
  const bool needs_template = flags.prompt_ids.empty() && !flags.raw;
  if (needs_template && !folder.text->chat_template.ok()) {
    return folder.text->chat_template.error();
  }
  const int64_t vocab = folder.checkpoint.config().vocab;
  // An id that no token has would never end an answer: surely a mistake.
  FATHOM_TRY(const std::vector<int32_t> stop_ids, flags.sampling.StopIds({}));
  FATHOM_OK(CheckIds("--stop-token-ids", stop_ids, vocab));
  FATHOM_TRY(const SamplingParams params, flags.sampling.Params(folder.defaults.sampling));
  return ValidateSampling(params, vocab);
}

}  // namespace

Result<Session> Session::Open(CommandContext& context, const RunFlags& flags) {
  std::string path = flags.model;
  if (path.empty()) {
    FATHOM_TRY(path, FindDemoModel(context.files));
  }
  ProgressPrinter progress = ConsoleProgress(context.clock, context.console, ProgressUnit::kBytes);
  PartOfJob headers(progress, 0, 1);
  FATHOM_TRY(ModelFolder folder,
             OpenModelFolder(context.files, path, flags.chat_template, headers));
  FATHOM_OK(CheckFolder(flags, folder));
  Session session(context, flags, std::move(folder));
  FATHOM_TRY(session.engine_,
             SizeForMachine(session.folder_, flags.run, {flags.run.max_model_len, 1, false}));
  const std::string defaults = DescribeDefaults(session.folder_.defaults);
  if (!defaults.empty()) {
    context.console.Note("generation_config.json: " + defaults + " (flags override)\n");
  }
  return session;
}

Status Session::Load() {
  ProgressPrinter progress =
      ConsoleProgress(context_->clock, context_->console, ProgressUnit::kBytes);
  PartOfJob weights(progress, 1, 0);
  FATHOM_TRY(loaded_, LoadModel(*context_, folder_, flags_->run, engine_, false, weights));
  context_->interrupt.WatchFlag();
  return Ok();
}

Result<Prompt> Session::Render(const Json& messages) const {
  FATHOM_TRY(const TextAssets* text, NeedText(folder_, "a text prompt"));
  PromptOptions options;
  options.date = LocalDate();
  if (!flags_->template_arguments.empty()) {
    FATHOM_TRY(options.template_arguments,
               ParseTemplateArguments("--chat-template-kwargs", flags_->template_arguments));
  }
  return RenderPrompt(*text, Conversation{messages, Json()}, options);
}

Result<Reply> Session::Answer(std::vector<int32_t> prompt, ReasoningMode reasoning,
                              const ReplySink& sink, std::string* raw_text) {
  FATHOM_TRY(GenerationRequest request, MakeRequest(std::move(prompt)));
  std::optional<TextStream> stream = MakeStream(reasoning);
  // What is read in one step needs no progress.
  const auto tokens = static_cast<int64_t>(request.prompt.size());
  ProgressPrinter printer =
      ConsoleProgress(context_->clock, context_->console, ProgressUnit::kTokens);
  NoProgress silent;
  Progress& reading = tokens > flags_->run.max_num_batched_tokens ? static_cast<Progress&>(printer)
                                                                  : static_cast<Progress&>(silent);
  FATHOM_TRY(Reply reply, Generate(*context_, *loaded_.engine, std::move(request),
                                   stream ? &*stream : nullptr, reading, sink));
  if (raw_text != nullptr && stream) {
    *raw_text = stream->raw_text();
    // An answer that was cut inside its reasoning: closed, so that the template can drop it.
    if (stream->inside_reasoning()) *raw_text += kThinkClose;
  }
  return reply;
}

Status Session::CheckPrompt(const std::vector<int32_t>& prompt) const {
  const int64_t vocab = folder_.checkpoint.config().vocab;
  for (const int32_t id : prompt) {
    if (id >= vocab) {
      return BadInput(
          Format("token {} of the prompt is outside the vocabulary of {} ids", id, vocab), "",
          Format("give ids from 0 to {}", vocab - 1));
    }
  }
  const auto tokens = static_cast<int64_t>(prompt.size());
  if (tokens >= 1 && tokens < max_model_len()) return Ok();
  if (tokens == 0) return BadInput("the prompt is empty", "", "give a text or ids to answer");
  return BadInput(Format("the prompt has {} tokens and leaves no room for an answer in the {} that "
                         "fit",
                         tokens, max_model_len()),
                  "", context_length().Fix());
}

Result<GenerationRequest> Session::MakeRequest(std::vector<int32_t> prompt) const {
  FATHOM_OK(CheckPrompt(prompt));
  const auto tokens = static_cast<int64_t>(prompt.size());
  const int64_t room = max_model_len() - tokens;
  GenerationRequest request;
  request.prompt = std::move(prompt);
  FATHOM_TRY(request.sampling, flags_->sampling.Params(folder_.defaults.sampling));
  FATHOM_TRY(request.stop_token_ids, flags_->sampling.StopIds(folder_.EosIds()));
  const int64_t asked = flags_->sampling.max_tokens;
  if (asked > room) {
    context_->console.Note(Format("--max-tokens {} is cut to {}: the prompt has {} of {} tokens\n",
                                  asked, room, tokens, max_model_len()));
  }
  // What the checkpoint recommends is a bound like the context's: nobody is told of a smaller one.
  const int64_t most = asked > 0 ? asked : folder_.defaults.max_new_tokens.value_or(room);
  request.max_tokens = std::min(most, room);
  return request;
}

std::optional<TextStream> Session::MakeStream(ReasoningMode reasoning) const {
  if (!folder_.text) return std::nullopt;
  TextStreamOptions options;
  options.stop = flags_->sampling.stop;
  options.reasoning = reasoning;
  return TextStream(folder_.text->tokenizer, std::move(options));
}

}  // namespace fathom
