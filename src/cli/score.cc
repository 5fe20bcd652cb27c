#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
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
#include "cli/interrupt.h"
#include "cli/loaded_model.h"
#include "cli/model_flags.h"
#include "cli/model_folder.h"
#include "cli/progress_printer.h"
#include "cli/score_input.h"
#include "cli/score_outputs.h"
#include "cli/scorer.h"
#include "engine/engine.h"
#include "spec/model_config.h"
#include "text/text_input.h"

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
  std::string model, input, chat_template;
  ScoreOutputs outputs;
  int64_t top = 0;
  bool no_parse_special = false;
  bool json = false;
  ModelFlags run;
};

void Declare(CommandLine& line, Flags& flags) {
  line.Positional("MODEL", flags.model, "Folder of a checkpoint");
  line.Add("--input", flags.input, "FILE", "Lines to score (JSON lines); -: standard input");
  line.Add("--output", flags.outputs.lines, "FILE",
           "Where the scores go; a file appears whole or not at all. -: standard\n"
           "output, line by line; the totals then go to standard error");
  line.Add("--top", flags.top, "K", "Also the K most likely ids of each position");
  line.Add("--full-logits", flags.outputs.full_logits, "DIR",
           "Also all logits: DIR/NAME.npy, float32 [T, vocab]");
  line.AddSwitch("--mtp", flags.outputs.mtp,
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
  if (flags.outputs.lines.empty()) return line.Usage("--output is missing");
  if (line.Given("--top") && flags.top < 1) {
    return line.Usage(Format("--top must be at least 1, found {}", flags.top));
  }
  if (flags.outputs.mtp && flags.outputs.full_logits.empty())
    return line.Usage("--mtp needs --full-logits");
  return flags.run.Check(line);
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
  if (flags.outputs.mtp && config.mtp_layers == 0) {
    return BadInput("--mtp: the model has no MTP layer (num_nextn_predict_layers is 0)",
                    folder.path, "leave --mtp out, or name a checkpoint with an MTP layer");
  }
  if (flags.top > config.vocab) {
    return BadInput(Format("--top is {}, the vocabulary has {} ids", flags.top, config.vocab),
                    folder.path, Format("ask for {} or fewer", config.vocab));
  }
  const ContextLength longest{
      flags.run.max_model_len > 0 ? flags.run.max_model_len : config.max_positions,
      config.max_positions};
  FATHOM_TRY(const std::string text, ReadTextInput(context.files, flags.input, kMostLinesBytes));
  FATHOM_TRY(
      std::vector<ScoreItem> items,
      ParseScoreInput(text, folder, {InputName(flags.input), !flags.no_parse_special, longest}));
  EngineNeeds needs{1, 1, flags.outputs.mtp};
  for (const ScoreItem& item : items) {
    needs.max_model_len = std::max(needs.max_model_len, static_cast<int64_t>(item.ids.size()));
  }
  needs.max_num_seqs = std::clamp<int64_t>(kTokensInFlight / needs.max_model_len, 1, kSequences);
  FATHOM_TRY(const EngineConfig engine, SizeForMachine(folder, flags.run, needs));
  FATHOM_OK(CheckOutputs(context.files, flags.outputs, folder.path, flags.input, items));
  return Job{std::move(folder), std::move(items), engine};
}

Result<ScoreTotals> RunJob(CommandContext& context, const Flags& flags, const Job& job,
                           Progress& loading) {
  PartOfJob weights(loading, 1, 1);
  FATHOM_TRY(const LoadedModel loaded,
             LoadModel(context, job.folder, flags.run, job.engine, flags.outputs.mtp, weights));
  context.interrupt.WatchFlag();
  const PartialFileGuard guard(context.files);
  ScorerOptions options{flags.outputs, flags.top, job.folder.checkpoint.config().vocab,
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

// Of a single id nothing is predicted, so that there is nothing to be perplexed by.
std::optional<double> Perplexity(const ScoreTotals& totals) {
  if (totals.predicted == 0) return std::nullopt;
  return std::exp(totals.nll / static_cast<double>(totals.predicted));
}

std::string TotalsJson(const Flags& flags, const ScoreTotals& totals) {
  const std::optional<double> perplexity = Perplexity(totals);
  return Json::MakeObject({{"lines", totals.lines},
                           {"tokens", totals.tokens},
                           {"nll", totals.nll},
                           {"perplexity", perplexity ? Json(*perplexity) : Json()},
                           {"seconds", totals.seconds},
                           {"output", flags.outputs.lines}})
             .Dump() +
         "\n";
}

std::string TotalsText(const Flags& flags, const ScoreTotals& totals) {
  const std::optional<double> perplexity = Perplexity(totals);
  const std::string shown =
      perplexity ? Format("{:.4f}", *perplexity) : "none (no line has a second id)";
  const std::string place = flags.outputs.to_console() ? "" : "; scores in " + flags.outputs.lines;
  return Format("{} lines, {} tokens, nll {:.4f}, perplexity {}{}\n", totals.lines, totals.tokens,
                totals.nll, shown, place);
}

Status Report(CommandContext& context, const Flags& flags, const ScoreTotals& totals) {
  const std::string text = flags.json ? TotalsJson(flags, totals) : TotalsText(flags, totals);
  if (flags.outputs.to_console()) {
    context.console.Note(text);
    return Ok();
  }
  Status printed = context.console.Print(text);
  if (printed.ok()) return printed;
  Error error = std::move(printed).error();
  error.fix += "; the scores are complete in " + flags.outputs.lines;
  return error;
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
