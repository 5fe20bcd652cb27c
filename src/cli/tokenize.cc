#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/input_text.h"
#include "api/prompt.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "text/text_assets.h"
#include "text/text_input.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

constexpr const char* kSummary =
    "Turns text or messages into token ids and back, with the checkpoint's own tokenizer and chat\n"
    "template. Added tokens inside a text (<think>, ...) become their ids, as transformers does; "
    "no\n"
    "BOS is added to --text and --file.";
constexpr const char* kExamples =
    "  fathom tokenize /models/r1 --text 'Hello, world'\n"
    "  fathom tokenize /models/r1 --ids 0,19923,14 --json\n"
    "  fathom tokenize /models/r1 --messages chat.json     # [{\"role\": \"user\", ...}, ...]";

struct Flags {
  std::string model, text, file, ids, messages, chat_template, template_arguments;
  bool no_generation_prompt = false;
  bool no_parse_special = false;
  bool skip_special = false;
  bool json = false;
};

void Declare(CommandLine& line, Flags& flags) {
  line.Positional("MODEL", flags.model, "Folder of a checkpoint, or of its tokenizer files alone");
  line.AddText("--text", flags.text, "TEXT", "Encode this text");
  line.Add("--file", flags.file, "FILE",
           "Encode the text of this file or pipe; -: of standard input");
  line.Add("--ids", flags.ids, "1,2,3", "Decode these ids");
  line.Add("--messages", flags.messages, "FILE",
           "Render and encode messages: a JSON list, or {\"messages\": ..., \"tools\": ...};\n"
           "-: from standard input");
  line.AddSwitch("--no-generation-prompt", flags.no_generation_prompt,
                 "End after the last message, without the start of an answer");
  line.Add("--chat-template", flags.chat_template, "FILE",
           "Jinja template to use in place of the checkpoint's");
  line.AddText("--chat-template-kwargs", flags.template_arguments, "JSON",
               "Further variables of the template, such as {\"thinking\": true}");
  line.AddSwitch("--no-parse-special", flags.no_parse_special,
                 "Added tokens inside text or message content stay plain text");
  line.AddSwitch("--skip-special", flags.skip_special, "Leave special tokens out of the text");
  line.AddSwitch("--json", flags.json, "Print {\"ids\": [...], \"text\": ...}");
}

Status CheckFlags(const CommandLine& line, const Flags& flags) {
  if (flags.model.empty()) return line.Usage("MODEL is missing");
  int inputs = 0;
  for (const char* flag : {"--text", "--file", "--ids", "--messages"}) {
    if (line.Given(flag)) ++inputs;
  }
  if (inputs != 1) {
    return line.Usage(
        Format("expected exactly one of --text, --file, --ids and --messages, "
               "found {} of them",
               inputs));
  }
  for (const char* flag : {"--no-generation-prompt", "--chat-template", "--chat-template-kwargs"}) {
    if (line.Given(flag) && !line.Given("--messages")) {
      return line.Usage(Format("{} needs --messages", flag));
    }
  }
  if (flags.no_parse_special && line.Given("--ids")) {
    return line.Usage("--no-parse-special has no meaning for --ids");
  }
  return Ok();
}

Result<std::vector<int32_t>> EncodeMessages(CommandContext& context, const TextAssets& assets,
                                            const Flags& flags) {
  FATHOM_TRY(const std::string text, ReadTextInput(context.files, flags.messages, kMostTextBytes));
  const JsonSource source = InputName(flags.messages);
  FATHOM_TRY(const Json json, ParseJson(text, source));
  FATHOM_TRY(const Conversation conversation, ParseConversation(JsonReader(json, source)));
  PromptOptions options;
  options.add_generation_prompt = !flags.no_generation_prompt;
  options.parse_special = !flags.no_parse_special;
  options.date = LocalDate();
  if (!flags.template_arguments.empty()) {
    FATHOM_TRY(options.template_arguments,
               ParseTemplateArguments("--chat-template-kwargs", flags.template_arguments));
  }
  FATHOM_TRY(Prompt prompt, RenderPrompt(assets, conversation, options));
  return std::move(prompt.ids);
}

Result<std::vector<int32_t>> MakeIds(CommandContext& context, const TextAssets& assets,
                                     const CommandLine& line, const Flags& flags) {
  if (line.Given("--ids")) return ParseIds("--ids", flags.ids);
  if (line.Given("--messages")) return EncodeMessages(context, assets, flags);
  std::string text = flags.text;
  if (line.Given("--file")) {
    FATHOM_TRY(text, ReadTextInput(context.files, flags.file, kMostTextBytes));
  }
  return assets.tokenizer.Encode(text, !flags.no_parse_special);
}

std::string JoinIds(std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) text += (text.empty() ? "" : ",") + Format("{}", id);
  return text;
}

}  // namespace

Result<ExitCode> TokenizeCommand(CommandContext& context, std::span<const std::string> args) {
  Flags flags;
  CommandLine line("tokenize", kSummary, kExamples);
  Declare(line, flags);
  FATHOM_TRY(const bool go_on, line.Parse(args, context.console));
  if (!go_on) return ExitCode::kDone;
  FATHOM_OK(CheckFlags(line, flags));
  FATHOM_TRY(const TextAssets assets,
             LoadTextAssets(context.files, flags.model, flags.chat_template));
  FATHOM_TRY(const std::vector<int32_t> ids, MakeIds(context, assets, line, flags));
  FATHOM_OK(CheckIds("--ids", ids, assets.tokenizer.vocab_size()));
  const std::string text = assets.tokenizer.Decode(ids, flags.skip_special);
  if (flags.json) {
    const Json report = Json::MakeObject({{"ids", Json::ArrayOf(ids)}, {"text", text}});
    FATHOM_OK(context.console.Print(report.Dump() + "\n"));
  } else {
    FATHOM_OK(context.console.Print((line.Given("--ids") ? text : JoinIds(ids)) + "\n"));
  }
  return ExitCode::kDone;
}

}  // namespace fathom
