#include "cli/command.h"

#include <unistd.h>

#include <array>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "base/suggest.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "io/file_system.h"

namespace fathom {
namespace {

constexpr std::array kCommands = {
    Command{"run", "chat in the terminal, or answer one prompt", RunCommand},
    Command{"serve", "the OpenAI-compatible server", ServeCommand},
    Command{"inspect", "what a checkpoint holds: parameters, bytes, problems", InspectCommand},
    Command{"tokenize", "text or messages to ids and back", TokenizeCommand},
    Command{"score", "log-probabilities and perplexity of given texts", ScoreCommand},
    Command{"bench", "how fast an engine is on this machine, and what limits it", BenchCommand},
};

std::string ProgramHelp() {
  std::string text =
      "Fathom runs DeepSeek-V3/R1 checkpoints and their relatives on CPUs.\n\n"
      "Usage: fathom COMMAND [ARGUMENTS]\n\nCommands:\n";
  for (const Command& command : kCommands) {
    text += Format("  {:<10}{}\n", command.name, command.summary);
  }
  return text +
         "\n`fathom COMMAND --help` shows the flags and examples of one command.\n\n"
         "Exit codes: 0 done, 1 a check failed, 2 wrong usage or bad input (nothing was changed),\n"
         "3 failed while running, 4 does not fit (memory, disk), 130 interrupted\n"
         "(143 by SIGTERM, 129 by SIGHUP).\n\n"
         "Examples:\n"
         "  fathom run                        chat with the bundled demo model\n"
         "  fathom run /models/r1 -p 'Hello'  one answer of another checkpoint\n";
}

Error UnknownCommand(const std::string& word) {
  std::vector<std::string_view> names;
  names.reserve(kCommands.size());
  for (const Command& command : kCommands) names.emplace_back(command.name);
  const std::string closest = Closest(word, names);
  const bool flag = word.starts_with("-");
  return BadInput(Format("unknown {} '{}'", flag ? "flag" : "command", word), "",
                  (closest.empty() ? "" : Format("did you mean `fathom {}`? ", closest)) +
                      "`fathom help` lists the commands");
}

Result<ExitCode> Dispatch(CommandContext& context, std::span<const std::string> args) {
  if (args.empty()) {
    context.console.Note(ProgramHelp());
    return ExitCode::kBadInput;
  }
  const std::string& word = args[0];
  if (word == "--version") {
    FATHOM_OK(context.console.Print("fathom " FATHOM_VERSION "\n"));
    return ExitCode::kDone;
  }
  if (word == "--help" || word == "-h" || (word == "help" && args.size() == 1)) {
    FATHOM_OK(context.console.Print(ProgramHelp()));
    return ExitCode::kDone;
  }
  const std::string& name = word == "help" ? args[1] : word;
  for (const Command& command : kCommands) {
    if (name != command.name) continue;
    const std::vector<std::string> help = {"--help"};
    auto code = command.run(context, word == "help" ? std::span(help) : args.subspan(1));
    if (!code.ok()) return Within(name, std::move(code).error());
    return code;
  }
  return UnknownCommand(name);
}

int ProcessCode(ExitCode code, const Interrupt& interrupt) {
  return code == ExitCode::kInterrupted ? interrupt.exit_code() : static_cast<int>(code);
}

}  // namespace

int Main(int argc, char** argv) {
  HoldStandardStreams();
  Console console(STDOUT_FILENO, STDERR_FILENO);
  if (const Status installed = Interrupt::Install(); !installed.ok()) {
    console.Note(installed.error().ToString());
    return static_cast<int>(ExitCodeOf(installed.error().kind));
  }
  Interrupt interrupt;
  const SteadyClock clock;
  const std::unique_ptr<FileSystem> files = MakePosixFileSystem();
  CommandContext context{*files, console, clock, interrupt};
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  try {
    const auto code = Dispatch(context, args);
    if (!code.ok() && !console.output_closed()) console.Note(code.error().ToString());
    return ProcessCode(code.ok() ? *code : ExitCodeOf(code.error().kind), interrupt);
  } catch (const std::bad_alloc&) {
    console.Note("error: out of memory\n  fix: close other programs or use a smaller model\n");
    return static_cast<int>(ExitCode::kDoesNotFit);
  }
}

}  // namespace fathom
