#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/loaded_model.h"
#include "cli/model_flags.h"
#include "cli/model_folder.h"
#include "cli/progress_printer.h"
#include "cli/score_input.h"
#include "cli/scorer.h"
#include "engine/engine.h"
#include "io/file_system.h"
#include "spec/model_config.h"

namespace fathom {
namespace {

constexpr const char* kSummary =
    "Teacher-forced log-probabilities. Each input line is {\"id\": NAME} with one of \"ids\", "
    "\"text\"\n"
    "and \"messages\"; each output line has id, ids, logprobs (entry i is the natural logarithm "
    "of\n"
    "p(ids[i+1] | ids[0..i])), with --top also top ([id, logprob] lists), nll and perplexity. "
    "Text\n"
    "begins with BOS where the tokenizer adds one; added tokens inside it become their ids.";
constexpr const char* kExamples =
    "  fathom score /models/r1 --input texts.jsonl --output scores.jsonl --top 5\n"
    "  fathom score /models/tiny --input ids.jsonl --output scores.jsonl \\\n"
    "      --full-logits logits/ --mtp --dtype float32";

constexpr int64_t kTokensInFlight = 4096;
constexpr int64_t kSequences = 64;

struct Flags {
  std::string model, input, output, full_logits, chat_template;
  int64_t top = 0;
  bool mtp = false;
  bool no_parse_special = false;
  bool json = false;
  ModelFlags run;
};

void Declare(CommandLine& line, Flags& flags) {
  line.Positional("MODEL", flags.model, "Folder of a checkpoint");
  line.Add("--input", flags.input, "FILE", "Lines to score (JSON lines)");
  line.Add("--output", flags.output, "FILE", "Where the scores go; appears whole or not at all");
  line.Add("--top", flags.top, "K", "Also the K most likely ids of each position");
  line.Add("--full-logits", flags.full_logits, "DIR",
           "Also all logits: DIR/NAME.npy, float32 [T, vocab]");
  line.AddSwitch("--mtp", flags.mtp,
                 "With --full-logits: the MTP layer's logits too, DIR/NAME.mtp.npy [T-1, vocab]");
  line.AddSwitch("--no-parse-special", flags.no_parse_special,
                 "Added tokens inside text or message content stay plain text");
  line.Add("--chat-template", flags.chat_template, "FILE",
           "Jinja template to use in place of the checkpoint's");
  line.AddSwitch("--json", flags.json, "Print totals as one object");
  flags.run.Declare(line);
}

Status CheckFlags(const CommandLine& line, const Flags& flags) {
  if (flags.model.empty()) return line.Usage("MODEL is missing");
  if (flags.input.empty()) return line.Usage("--input is missing");
  if (flags.output.empty()) return line.Usage("--output is missing");
  if (line.Given("--top") && flags.top < 1) {
    return line.Usage(Format("--top must be at least 1, found {}", flags.top));
  }
  if (flags.mtp && flags.full_logits.empty()) return line.Usage("--mtp needs --full-logits");
  return flags.run.Check(line);
}

// Refuses what cannot be written before anything is loaded.
Status CheckOutputs(FileSystem& files, const Flags& flags) {
  if (SamePlace(flags.input, flags.output)) {
    return BadInput("--output is the input file itself", flags.output, "write to another file");
  }
  FATHOM_TRY([[maybe_unused]] const auto output, files.Create(flags.output));
  if (flags.full_logits.empty()) return Ok();
  FATHOM_OK(files.MakeDirectory(flags.full_logits));
  FATHOM_TRY([[maybe_unused]] const auto probe,
             files.Create(JoinPath(flags.full_logits, ".fathom-probe")));
  return Ok();
}

struct Job {
  ModelFolder folder;
  std::vector<ScoreItem> items;
  EngineConfig engine;
};

// Everything that can be wrong with the input is found here.
Result<Job> Prepare(CommandContext& context, const Flags& flags, Progress& progress) {
  PartOfJob headers(progress, 0, 2);
  FATHOM_TRY(ModelFolder folder,
             OpenModelFolder(context.files, flags.model, flags.chat_template, headers));
  const ModelConfig& config = folder.checkpoint.config();
  if (flags.mtp && config.mtp_layers == 0) {
    return BadInput("--mtp: the model has no MTP layer (num_nextn_predict_layers is 0)",
                    folder.path, "leave --mtp out, or name a checkpoint with an MTP layer");
  }
  const int64_t longest =
      flags.run.max_model_len > 0 ? flags.run.max_model_len : config.max_positions;
  FATHOM_TRY(const std::string text, context.files.ReadText(flags.input));
  FATHOM_TRY(std::vector<ScoreItem> items,
             ParseScoreInput(text, folder, {flags.input, !flags.no_parse_special, longest}));
  EngineNeeds needs{1, 1, flags.mtp};
  for (const ScoreItem& item : items) {
    needs.max_model_len = std::max(needs.max_model_len, static_cast<int64_t>(item.ids.size()));
  }
  needs.max_num_seqs = std::clamp<int64_t>(kTokensInFlight / needs.max_model_len, 1, kSequences);
  FATHOM_TRY(const EngineConfig engine, SizeForMachine(folder, flags.run, needs));
  FATHOM_OK(CheckOutputs(context.files, flags));
  return Job{std::move(folder), std::move(items), engine};
}

Result<ScoreTotals> RunJob(CommandContext& context, const Flags& flags, const Job& job,
                           Progress& loading) {
  PartOfJob weights(loading, 1, 1);
  FATHOM_TRY(const LoadedModel loaded,
             LoadModel(context, job.folder, flags.run, job.engine, flags.mtp, weights));
  context.interrupt.WatchFlag();
  ScorerOptions options{flags.output,
                        flags.full_logits,
                        flags.mtp,
                        flags.top,
                        job.folder.checkpoint.config().vocab,
                        job.engine.scheduler.blocks * job.engine.scheduler.block_tokens};
  int64_t tokens = 0;
  for (const ScoreItem& item : job.items) tokens += static_cast<int64_t>(item.ids.size());
  ProgressPrinter progress = ConsoleProgress(context.clock, context.console, ProgressUnit::kTokens);
  progress.Begin(3, 3, Format("scoring {} lines", job.items.size()), tokens);
  FATHOM_TRY(const ScoreTotals totals,
             Scorer(context, *loaded.engine, options, job.items).Run(progress));
  progress.End();
  return totals;
}

Status Report(CommandContext& context, const Flags& flags, const ScoreTotals& totals) {
  const double perplexity =
      std::exp(totals.nll / static_cast<double>(std::max<int64_t>(totals.predicted, 1)));
  if (flags.json) {
    const Json report =
        Json::MakeObject({{"lines", totals.lines},
                          {"tokens", totals.tokens},
                          {"nll", totals.nll},
                          {"perplexity", totals.predicted > 0 ? Json(perplexity) : Json()},
                          {"seconds", totals.seconds},
                          {"output", flags.output}});
    return context.console.Print(report.Dump() + "\n");
  }
  return context.console.Print(
      Format("{} lines, {} tokens, nll {:.4f}, perplexity {:.4f}; scores in {}\n", totals.lines,
             totals.tokens, totals.nll, perplexity, flags.output));
}

}  // namespace

Result<ExitCode> ScoreCommand(CommandContext& context, std::span<const std::string> args) {
  Flags flags;
  CommandLine line("score", kSummary, kExamples);
  Declare(line, flags);
  FATHOM_TRY(const bool go_on, line.Parse(args, context.console));
  if (!go_on) return ExitCode::kDone;
  FATHOM_OK(CheckFlags(line, flags));
  ProgressPrinter loading = ConsoleProgress(context.clock, context.console, ProgressUnit::kBytes);
  FATHOM_TRY(const Job job, Prepare(context, flags, loading));
  FATHOM_TRY(const ScoreTotals totals, RunJob(context, flags, job, loading));
  FATHOM_OK(Report(context, flags, totals));
  return ExitCode::kDone;
}

}  // namespace fathom
