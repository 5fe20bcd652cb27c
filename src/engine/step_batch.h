#ifndef FATHOM_ENGINE_STEP_BATCH_H_
#define FATHOM_ENGINE_STEP_BATCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sequence.h"
#include "model/model.h"
#include "sched/step_plan.h"

namespace fathom {

// Turns what a plan says of sequences into the flat arrays a model reads. Its arrays are kept from
// step to step.
class StepBatch {
 public:
  // The rows of a ForwardResult that belong to one planned sequence.
  struct Rows {
    int64_t first_position = 0;  // of the first row
    int64_t first = 0;
    int64_t count = 0;
    int64_t first_mtp = 0;
    int64_t mtp_count = 0;
  };

  void Clear();
  // Adds tokens [first_token, first_token + count). Logits are asked for: of a scored sequence for
  // every position not reported yet, else for the last if it is to be sampled from.
  Rows Add(const PlannedSequence& planned, const Sequence& sequence);

  // Valid until the next Add or Clear. `block_tables` [slots].
  ForwardBatch View(std::span<const std::vector<int32_t>> block_tables) const;

 private:
  std::vector<int32_t> tokens_;      // [n]
  std::vector<int32_t> positions_;   // [n]
  std::vector<int32_t> sequences_;   // [n] slots
  std::vector<int32_t> mtp_next_;    // [n]
  std::vector<int32_t> logit_rows_;  // [m]
  int64_t mtp_rows_ = 0;             // of logit_rows_, those with a successor
  bool any_mtp_ = false;
};

}  // namespace fathom

#endif  // FATHOM_ENGINE_STEP_BATCH_H_
