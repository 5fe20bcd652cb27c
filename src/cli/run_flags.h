#ifndef FATHOM_CLI_RUN_FLAGS_H_
#define FATHOM_CLI_RUN_FLAGS_H_

#include <string>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/model_flags.h"
#include "cli/sampling_flags.h"

namespace fathom {

// The command line of `fathom run`.
struct RunFlags {
  std::string model, prompt, prompt_ids, system, chat_template, template_arguments;
  bool has_prompt = false;
  bool raw = false;
  bool json = false;
  ModelFlags run;
  SamplingFlags sampling;

  void Declare(CommandLine& line);
  // Errors (kBadInput): flags that do not go together, values out of range.
  Status Check(const CommandLine& line);

  // One answer instead of a chat.
  bool one_shot() const { return has_prompt || !prompt_ids.empty(); }
};

}  // namespace fathom

#endif  // FATHOM_CLI_RUN_FLAGS_H_
