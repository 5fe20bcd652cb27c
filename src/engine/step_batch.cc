#include "engine/step_batch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/sequence.h"
#include "model/model.h"
#include "sched/step_plan.h"

namespace fathom {
namespace {

constexpr int32_t kNoSuccessor = -1;

// The first position of the planned ones whose logits are wanted; their end if none are.
int64_t FirstWanted(const PlannedSequence& planned, const Sequence& sequence) {
  const int64_t begin = planned.first_token;
  const int64_t end = begin + planned.count;
  if (sequence.score) return std::clamp(sequence.scored_positions, begin, end);
  return planned.sample ? end - 1 : end;
}

int32_t MtpNext(const Sequence& sequence, int64_t position) {
  const auto next = static_cast<size_t>(position) + 1;
  return sequence.score_mtp && next < sequence.tokens.size() ? sequence.tokens[next] : kNoSuccessor;
}

}  // namespace

void StepBatch::Clear() {
  tokens_.clear();
  positions_.clear();
  sequences_.clear();
  mtp_next_.clear();
  logit_rows_.clear();
  mtp_rows_ = 0;
  any_mtp_ = false;
}

StepBatch::Rows StepBatch::Add(const PlannedSequence& planned, const Sequence& sequence) {
  Rows rows{.first_position = FirstWanted(planned, sequence),
            .first = static_cast<int64_t>(logit_rows_.size()),
            .first_mtp = mtp_rows_};
  any_mtp_ = any_mtp_ || sequence.score_mtp;
  for (int64_t i = planned.first_token; i < planned.first_token + planned.count; ++i) {
    const int32_t mtp_next = MtpNext(sequence, i);
    if (i >= rows.first_position) {
      logit_rows_.push_back(static_cast<int32_t>(tokens_.size()));
      mtp_rows_ += mtp_next == kNoSuccessor ? 0 : 1;
    }
    tokens_.push_back(sequence.tokens[static_cast<size_t>(i)]);
    positions_.push_back(static_cast<int32_t>(i));
    sequences_.push_back(*sequence.slot);
    mtp_next_.push_back(mtp_next);
  }
  rows.count = static_cast<int64_t>(logit_rows_.size()) - rows.first;
  rows.mtp_count = mtp_rows_ - rows.first_mtp;
  return rows;
}

ForwardBatch StepBatch::View(std::span<const std::vector<int32_t>> block_tables) const {
  return {.tokens = tokens_,
          .positions = positions_,
          .sequences = sequences_,
          .block_tables = block_tables,
          .logit_rows = logit_rows_,
          .mtp_next = any_mtp_ ? std::span<const int32_t>(mtp_next_) : std::span<const int32_t>()};
}

}  // namespace fathom
