#ifndef FATHOM_SCHED_STEP_PLAN_H_
#define FATHOM_SCHED_STEP_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sched/decision.h"
#include "sched/request.h"
#include "sched/step_time.h"

namespace fathom {

// What one sequence does in a step: it computes tokens [first_token, first_token + count). Small,
// as there is one for each that runs.
struct PlannedSequence {
  RequestId id = 0;
  int32_t first_token = 0;
  int32_t count = 0;
  int32_t first_block = 0;  // of StepPlan::blocks: those appended to its block table
  int32_t new_blocks = 0;
  int32_t cached_tokens = 0;  // of one that enters: tokens found in the cache, not computed again
  bool enters = false;        // it did not run before: its block table begins anew
  bool sample = false;        // the last token is the newest known: a next one is to be sampled
};

// The contents of a block, copied in all layers.
struct BlockCopy {
  enum class Kind {
    kWithin,    // from a cache block to a cache block
    kToSwap,    // from a cache block to a swap block
    kFromSwap,  // from a swap block to a cache block
  };
  Kind kind = Kind::kWithin;
  int32_t from = 0;
  int32_t to = 0;

  friend bool operator==(const BlockCopy&, const BlockCopy&) = default;
};

// A running sequence that lost its blocks and waits again.
struct Preemption {
  enum class Reason {
    kBlocks,          // a sequence of higher rank needed blocks for tokens it has to compute
    kFirstTokenWait,  // mindie: a request had waited for its first token for too long
  };
  RequestId id = 0;
  RequestId in_favour_of = 0;
  Reason reason = Reason::kBlocks;
  bool swapped = false;  // what it computed lies in swap blocks; else it is computed again
  int64_t blocks = 0;    // it held

  friend bool operator==(const Preemption&, const Preemption&) = default;
};

// A request that can never go on. The caller has to Finish it.
struct Stuck {
  RequestId id = 0;
  std::string what;  // with the numbers
};

// One step. Order of application: expired and preempted lose their tables, copies are made one
// after the other in their order, then the sequences run.
struct StepPlan {
  std::vector<PlannedSequence> sequences;  // in rank order; then those that enter
  std::vector<int32_t> blocks;             // of all sequences
  std::vector<BlockCopy> copies;
  std::vector<Preemption> preempted;
  // Their deadline has passed: they are over and their blocks are free.
  std::vector<RequestId> expired;
  std::optional<Stuck> stuck;
  // Nothing is to be computed before this time unless a request comes: a rule lets requests wait.
  std::optional<double> wait_until_s;
  Decision decision;
  StepShape shape;  // for Scheduler::Observe

  bool empty() const { return sequences.empty(); }
  std::span<const int32_t> BlocksOf(const PlannedSequence& planned) const {
    return std::span(blocks).subspan(static_cast<size_t>(planned.first_block),
                                     static_cast<size_t>(planned.new_blocks));
  }
  // Keeps the memory.
  void Clear();
};

}  // namespace fathom

#endif  // FATHOM_SCHED_STEP_PLAN_H_
