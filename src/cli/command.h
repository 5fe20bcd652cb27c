#ifndef FATHOM_CLI_COMMAND_H_
#define FATHOM_CLI_COMMAND_H_

#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "io/file_system.h"

namespace fathom {

// The whole program: parses the command line, runs one command, returns its exit code: 0 done, 1 a
// check or comparison failed, 2 wrong usage or bad input, 3 failed while running, 4 does not fit,
// 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
int Main(int argc, char** argv);

// What a command works with.
struct CommandContext {
  FileSystem& files;
  Console& console;
  const Clock& clock;
  Interrupt& interrupt;
};

// One word after `fathom`. `run` gets what follows that word.
struct Command {
  std::string_view name;
  std::string_view summary;
  Result<ExitCode> (*run)(CommandContext& context, std::span<const std::string> args);
};

Result<ExitCode> RunCommand(CommandContext& context, std::span<const std::string> args);
Result<ExitCode> InspectCommand(CommandContext& context, std::span<const std::string> args);
Result<ExitCode> TokenizeCommand(CommandContext& context, std::span<const std::string> args);
Result<ExitCode> ScoreCommand(CommandContext& context, std::span<const std::string> args);
Result<ExitCode> BenchCommand(CommandContext& context, std::span<const std::string> args);
Result<ExitCode> ServeCommand(CommandContext& context, std::span<const std::string> args);

}  // namespace fathom

#endif  // FATHOM_CLI_COMMAND_H_
