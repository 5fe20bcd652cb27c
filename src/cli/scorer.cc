#include "cli/scorer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/progress.h"
#include "base/result.h"
#include "cli/line_score.h"
#include "cli/score_input.h"
#include "cli/score_outputs.h"
#include "engine/engine.h"
#include "io/file_system.h"
#include "sched/scheduler.h"
#include "weights/npy_writer.h"

namespace fathom {

Result<ScoreTotals> Scorer::Run(Progress& progress) {
  auto totals = RunLines(progress);
  if (totals.ok()) return totals;
  Error error = std::move(totals).error();
  error.fix += "; " + WhatStays();
  return error;
}

std::string Scorer::WhatStays() const {
  const ScoreOutputs& outputs = options_.outputs;
  const std::string lines = outputs.to_console()
                                ? Format("{} lines of scores were printed", next_to_write_)
                                : outputs.lines + " was not written";
  if (logit_files_ == 0) return lines;
  return Format("{}; complete files of logits that stay in {}: {}", lines, outputs.full_logits,
                logit_files_);
}

Result<ScoreTotals> Scorer::RunLines(Progress& progress) {
  const double began = context_.clock.Seconds();
  FATHOM_TRY(const std::unique_ptr<OutputFile> output,
             options_.outputs.OpenLines(context_.files, context_.console));
  while (next_to_write_ < items_.size()) {
    if (context_.interrupt.requested()) {
      return Error(Format("interrupted after {} of {} lines", next_to_write_, items_.size()), "",
                   "run the same command again", ErrorKind::kInterrupted);
    }
    FATHOM_OK(SubmitWhatFits());
    const StepResult step = engine_.Step();
    for (const ScoredRows& rows : step.scored) FATHOM_OK(TakeRows(rows));
    for (const EngineEvent& event : step.events) FATHOM_OK(TakeEvent(event));
    progress.Advance(step.prompt_tokens);
    FATHOM_OK(FlushFinished(*output));
  }
  FATHOM_OK(output->Commit());
  totals_.seconds = context_.clock.Seconds() - began;
  return totals_;
}

Status Scorer::SubmitWhatFits() {
  while (next_to_submit_ < items_.size()) {
    const std::vector<int32_t>& ids = items_[next_to_submit_].ids;
    const auto tokens = static_cast<int64_t>(ids.size());
    const bool fits = in_flight_tokens_ + tokens <= options_.tokens_in_flight;
    if (!fits && !in_flight_.empty()) return Ok();
    FATHOM_TRY(Line line, Start(next_to_submit_));
    GenerationRequest request;
    request.prompt = ids;
    request.score = true;
    request.score_mtp = options_.outputs.mtp;
    FATHOM_TRY(const RequestId id, engine_.Submit(std::move(request)));
    in_flight_.emplace(id, std::move(line));
    in_flight_tokens_ += tokens;
    ++next_to_submit_;
  }
  return Ok();
}

Result<Scorer::Line> Scorer::Start(size_t index) {
  const ScoreItem& item = items_[index];
  Line line{index, LineScore(item, options_.top), std::nullopt, std::nullopt};
  if (options_.outputs.full_logits.empty()) return line;
  const auto rows = static_cast<int64_t>(item.ids.size());
  FATHOM_TRY(line.logits, NpyWriter::Create(context_.files, options_.outputs.LogitsOf(item.id),
                                            rows, options_.vocab));
  if (!options_.outputs.mtp) return line;
  FATHOM_TRY(line.mtp_logits,
             NpyWriter::Create(context_.files, options_.outputs.MtpLogitsOf(item.id), rows - 1,
                               options_.vocab));
  return line;
}

Status Scorer::TakeRows(const ScoredRows& rows) {
  Line& line = in_flight_.at(rows.id);
  for (int64_t i = 0; i < rows.logits.rows(); ++i) {
    line.score.AddRow(rows.logits[i]);
    if (line.logits) FATHOM_OK(line.logits->AppendRow(rows.logits[i]));
  }
  for (int64_t i = 0; line.mtp_logits && i < rows.mtp_logits.rows(); ++i) {
    FATHOM_OK(line.mtp_logits->AppendRow(rows.mtp_logits[i]));
  }
  return Ok();
}

Status Scorer::TakeEvent(const EngineEvent& event) {
  if (!event.finish) return Ok();
  Line& line = in_flight_.at(event.id);
  const ScoreItem& item = items_[line.index];
  if (*event.finish == FinishReason::kError) {
    return Within(Format("id '{}'", item.id), *event.error);
  }
  FATHOM_OK(CommitLogits(line));
  const auto tokens = static_cast<int64_t>(item.ids.size());
  ++totals_.lines;
  totals_.tokens += tokens;
  totals_.predicted += tokens - 1;
  totals_.nll += line.score.nll();
  finished_.emplace(line.index, line.score.Report().Dump() + "\n");
  in_flight_tokens_ -= tokens;
  in_flight_.erase(event.id);
  return Ok();
}

Status Scorer::CommitLogits(Line& line) {
  for (std::optional<NpyWriter>* writer : {&line.logits, &line.mtp_logits}) {
    if (!writer->has_value()) continue;
    FATHOM_OK((*writer)->Commit());
    ++logit_files_;
  }
  return Ok();
}

Status Scorer::FlushFinished(OutputFile& output) {
  while (!finished_.empty() && finished_.begin()->first == next_to_write_) {
    FATHOM_OK(output.Append(finished_.begin()->second));
    finished_.erase(finished_.begin());
    ++next_to_write_;
  }
  return Ok();
}

}  // namespace fathom
