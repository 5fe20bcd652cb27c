#ifndef FATHOM_CLI_SCORER_H_
#define FATHOM_CLI_SCORER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/line_score.h"
#include "cli/score_input.h"
#include "cli/score_outputs.h"
#include "engine/engine.h"
#include "io/file_system.h"
#include "sched/scheduler.h"
#include "weights/npy_writer.h"

namespace fathom {

struct ScorerOptions {
  ScoreOutputs outputs;
  int64_t top = 0;  // most likely ids a position
  int64_t vocab = 0;
  int64_t tokens_in_flight = 0;  // at most, unless a single line is longer
};

struct ScoreTotals {
  int64_t lines = 0;
  int64_t tokens = 0;     // all ids
  int64_t predicted = 0;  // those with a log-probability
  double nll = 0;
  double seconds = 0;
};

// Runs lines through an engine, many at once, and writes their scores in the order of the input.
class Scorer {
 public:
  // Everything must outlive it.
  Scorer(CommandContext& context, Engine& engine, const ScorerOptions& options,
         const std::vector<ScoreItem>& items)
      : context_(context), engine_(engine), options_(options), items_(items) {}

  // The output appears whole when all lines are done. Errors: what cannot be written; a line the
  // engine could not finish; kInterrupted after Ctrl-C. Each says what of the output stays: files
  // of logits that are complete, since they took their time to compute.
  Result<ScoreTotals> Run(Progress& progress);

 private:
  // A line on its way through the engine.
  struct Line {
    size_t index;
    LineScore score;
    std::optional<NpyWriter> logits, mtp_logits;
  };

  Result<ScoreTotals> RunLines(Progress& progress);
  std::string WhatStays() const;
  Status SubmitWhatFits();
  Result<Line> Start(size_t index);
  Status TakeRows(const ScoredRows& rows);
  Status TakeEvent(const EngineEvent& event);
  Status CommitLogits(Line& line);
  Status FlushFinished(OutputFile& output);

  CommandContext& context_;
  Engine& engine_;
  const ScorerOptions& options_;
  const std::vector<ScoreItem>& items_;

  size_t next_to_submit_ = 0;
  size_t next_to_write_ = 0;
  int64_t in_flight_tokens_ = 0;
  std::map<RequestId, Line> in_flight_;
  std::map<size_t, std::string> finished_;  // reports that wait for earlier ones
  int64_t logit_files_ = 0;                 // complete ones
  ScoreTotals totals_;
};

}  // namespace fathom

#endif  // FATHOM_CLI_SCORER_H_
