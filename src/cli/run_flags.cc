#include "cli/run_flags.h"

#include <cstdint>
#include <vector>

#include "api/input_text.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/command_line.h"
#include "text/text_input.h"

namespace fathom {

void RunFlags::Declare(CommandLine& line) {
  line.Positional("MODEL", model, "Folder of a checkpoint (default: the bundled demo model)");
  line.AddText("-p,--prompt", prompt, "TEXT",
               "Answer this and end; -: read it from standard input to its end");
  line.Add("--prompt-ids", prompt_ids, "1,2,3", "Continue these token ids and end");
  line.AddSwitch("--raw", raw, "Continue the prompt as it is, without the chat template");
  line.AddText("--system", system, "TEXT", "System message of the chat");
  line.AddSwitch("--json", json, "Print one object: ids, text, reasoning, usage, timings");
  line.Add("--chat-template", chat_template, "FILE",
           "Jinja template to use in place of the checkpoint's");
  line.AddText("--chat-template-kwargs", template_arguments, "JSON",
               "Further variables of the template, such as {\"thinking\": true}");
  sampling.Declare(line);
  run.Declare(line);
}

Status RunFlags::Check(const CommandLine& line) {
  has_prompt = line.Given("--prompt");
  // An empty variable of a script is not the wish for another model.
  if (line.Given("MODEL") && model.empty()) {
    return line.Usage("MODEL is empty", "name a folder, or leave it out for the demo model");
  }
  // With --raw nothing is what a text may begin with.
  if (has_prompt && !raw && IsBlank(prompt)) {
    return line.Usage("--prompt is empty", "give a text, or leave -p out for a chat");
  }
  if (line.Given("--prompt-ids") && has_prompt) {
    return line.Usage("--prompt and --prompt-ids exclude each other");
  }
  if (line.Given("--prompt-ids") && prompt_ids.empty()) {
    return line.Usage("--prompt-ids needs at least one id");
  }
  if (!prompt_ids.empty()) {
    FATHOM_TRY([[maybe_unused]] const std::vector<int32_t> ids,
               ParseIds("--prompt-ids", prompt_ids));
  }
  for (const char* flag : {"--json", "--raw"}) {
    if (line.Given(flag) && !one_shot()) {
      return line.Usage(Format("{} needs a prompt: -p or --prompt-ids", flag));
    }
  }
  const bool no_template = raw || !prompt_ids.empty();
  for (const char* flag : {"--system", "--chat-template", "--chat-template-kwargs"}) {
    if (line.Given(flag) && no_template) {
      return line.Usage(Format("{} has no meaning without the chat template", flag));
    }
  }
  if (!template_arguments.empty()) {
    FATHOM_TRY([[maybe_unused]] const Json json_object,
               ParseTemplateArguments("--chat-template-kwargs", template_arguments));
  }
  FATHOM_OK(sampling.Check(line));
  return run.Check(line);
}

}  // namespace fathom
