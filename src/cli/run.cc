#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/input_text.h"
#include "api/prompt.h"
#include "api/reasoning_splitter.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/answer_printer.h"
#include "cli/chat.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/reply.h"
#include "cli/run_flags.h"
#include "cli/session.h"
#include "engine/engine.h"
#include "text/text_input.h"

namespace fathom {
namespace {

constexpr const char* kSummary =
    "Chats with a model in the terminal, or answers one prompt with -p. From a pipe each line is "
    "one\n"
    "message of the chat. Message text never becomes control tokens; only the template writes "
    "them.\n"
    "On a terminal the reasoning is shown dimmed; in a pipe only the answer is written.";
constexpr const char* kExamples =
    "  fathom run                                  # chat with the bundled demo model\n"
    "  fathom run /models/r1 -p 'What is MLA?' --temperature 0\n"
    "  fathom run /models/v3 --raw -p 'Once upon a time' --max-tokens 64\n"
    "  fathom run /models/tiny --prompt-ids 0,17,42 --ignore-eos --max-tokens 8 --json";

Result<std::string> PromptText(CommandContext& context, const RunFlags& flags) {
  if (flags.prompt != "-") return flags.prompt;
  FATHOM_TRY(std::string text, ReadTextInput(context.files, "-", kMostPromptBytes));
  if (!flags.raw && IsBlank(text)) {
    return BadInput("the prompt is empty", InputName("-"), "send a text there");
  }
  return text;
}

Result<Prompt> OneInput(const Session& session, const RunFlags& flags, const std::string& text) {
  if (!flags.prompt_ids.empty()) {
    FATHOM_TRY(std::vector<int32_t> ids, ParseIds("--prompt-ids", flags.prompt_ids));
    return Prompt{"", std::move(ids), ReasoningMode::kOff};
  }
  if (flags.raw) {
    return RawPrompt(*session.folder().text, text, {.parse_special = true});
  }
  Json messages = Json::MakeArray();
  if (!flags.system.empty()) {
    messages.Append(Json::MakeObject({{"role", "system"}, {"content", flags.system}}));
  }
  messages.Append(Json::MakeObject({{"role", "user"}, {"content", text}}));
  return session.Render(messages);
}

Result<ExitCode> AnswerOne(CommandContext& context, Session& session, const RunFlags& flags,
                           const std::string& text) {
  FATHOM_TRY(Prompt input, OneInput(session, flags, text));
  FATHOM_OK(session.CheckPrompt(input.ids));
  FATHOM_OK(session.Load());
  const bool has_text = session.folder().text.has_value();
  AnswerPrinter printer(context.console);
  const auto sink = [&](std::optional<int32_t> id, const ReplyDelta& delta) -> Status {
    if (flags.json) return Ok();
    if (has_text) return printer.Show(delta);
    return id ? printer.ShowId(*id) : Ok();
  };
  FATHOM_TRY(const Reply reply,
             session.Answer(std::move(input.ids), input.reasoning, sink, nullptr));
  if (flags.json) {
    const Json report = reply.Report(has_text, session.load_seconds());
    FATHOM_OK(context.console.Print(report.Dump() + "\n"));
  } else {
    FATHOM_OK(printer.End());
    context.console.Note(reply.Summary());
    context.console.Note(reply.Advice(session.context_length()));
  }
  if (reply.finish == FinishReason::kError) return *reply.error;
  return reply.finish == FinishReason::kCancelled ? ExitCode::kInterrupted : ExitCode::kDone;
}

}  // namespace

Result<ExitCode> RunCommand(CommandContext& context, std::span<const std::string> args) {
  RunFlags flags;
  CommandLine line("run", kSummary, kExamples);
  flags.Declare(line);
  FATHOM_TRY(const bool go_on, line.Parse(args, context.console));
  if (!go_on) return ExitCode::kDone;
  FATHOM_OK(flags.Check(line));
  FATHOM_TRY(const std::string text, PromptText(context, flags));
  FATHOM_TRY(Session session, Session::Open(context, flags));
  if (flags.one_shot()) return AnswerOne(context, session, flags, text);
  FATHOM_OK(session.Load());
  return Chat(context, session, flags.system).Run();
}

}  // namespace fathom
