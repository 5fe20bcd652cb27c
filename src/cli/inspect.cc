#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/inspect_report.h"
#include "cli/progress_printer.h"
#include "text/text_assets.h"
#include "weights/checkpoint.h"

namespace fathom {
namespace {

constexpr const char* kSummary =
    "Shows what a checkpoint holds: architecture, parameters and bytes by component, active\n"
    "parameters and cache bytes a token, element types, and every missing, surplus or mis-shaped\n"
    "tensor. A file that is missing or damaged is named and left out. Any of these: exit code 1.\n"
    "Reads headers only.";
constexpr const char* kExamples =
    "  fathom inspect /models/DeepSeek-R1\n"
    "  fathom inspect /models/DeepSeek-R1 --json";

// Many shards on a slow disk take a while; a terminal sees that it goes on, a log needs no line.
Result<Checkpoint> OpenWithProgress(CommandContext& context, const std::string& model,
                                    std::vector<Error>& problems) {
  if (!context.console.err_is_terminal()) {
    return Checkpoint::OpenWhatIsThere(context.files, model, problems);
  }
  ProgressPrinter progress = ConsoleProgress(context.clock, context.console, ProgressUnit::kBytes);
  progress.Begin(1, 1, "reading headers", 0);
  auto checkpoint = Checkpoint::OpenWhatIsThere(context.files, model, problems);
  progress.End();
  return checkpoint;
}

}  // namespace

Result<ExitCode> InspectCommand(CommandContext& context, std::span<const std::string> args) {
  std::string model;
  bool json = false;
  CommandLine line("inspect", kSummary, kExamples);
  line.Positional("MODEL", model, "Folder of a checkpoint");
  line.AddSwitch("--json", json, "Print one object");
  FATHOM_TRY(const bool go_on, line.Parse(args, context.console));
  if (!go_on) return ExitCode::kDone;
  if (model.empty()) return line.Usage("MODEL is missing");
  std::vector<Error> problems;
  FATHOM_TRY(const Checkpoint checkpoint, OpenWithProgress(context, model, problems));
  const InspectReport report =
      MakeInspectReport(checkpoint, problems, HasTokenizer(context.files, model));
  FATHOM_OK(context.console.Print(json ? report.ToJson().Dump() + "\n" : report.ToText()));
  return report.whole() ? ExitCode::kDone : ExitCode::kCheckFailed;
}

}  // namespace fathom
