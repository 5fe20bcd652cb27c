#ifndef FATHOM_SCHED_SCHEDULER_H_
#define FATHOM_SCHED_SCHEDULER_H_

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "sched/block_pool.h"

namespace fathom {

using RequestId = int64_t;

struct SchedulerConfig {
  int64_t blocks = 0;  // cache blocks there are
  int64_t block_tokens = 16;
  int64_t max_batched_tokens = 512;  // most tokens in one step
  int64_t max_sequences = 64;        // most sequences running at once
  // Most rows of logits in one step: one for a sequence that samples, `count` for one that is
  // scored. At least max_sequences, so that nobody who decodes has to wait for a row.
  int64_t max_logit_rows = 64;
};

// Which tokens of a sequence need logits.
enum class LogitRows { kLast, kAll };

// What one sequence does in a step: it computes tokens [first_token, first_token + count).
struct PlannedSequence {
  RequestId id = 0;
  int64_t first_token = 0;
  int64_t count = 0;
  std::vector<int32_t> new_blocks;  // appended to its block table
  bool restart = false;  // its earlier blocks are gone (it was preempted): the table begins anew
  bool sample = false;   // the last token is the newest known: a next token is to be sampled

  friend bool operator==(const PlannedSequence&, const PlannedSequence&) = default;
};

struct StepPlan {
  std::vector<PlannedSequence> sequences;  // oldest first
  std::vector<RequestId> preempted;        // lost their blocks before this step and wait again
  bool empty() const { return sequences.empty(); }
};

// Decides what each step computes. Integers only: no tensor, no clock.
//
// Age     A request is as old as its Add. Whoever runs is older than whoever waits: the oldest
//         waiting is admitted first, the youngest running loses its blocks first and waits again,
//         at the head of the queue.
// Tokens  Each running sequence with one token left (it decodes) gets it, oldest first; then
//         prompts, oldest first, as much as the limits leave: the last one gets a piece. A younger
//         one enters only when an older prompt could not use up the step, so those who decode can
//         never crowd out the oldest prompt.
// Blocks  Given out oldest first, for the tokens of this step. When none is free the youngest
//         running gives all of its up and is computed again later, from token 0 to the last known.
//         The youngest itself never gives up: it waits with what it has. So the oldest computes at
//         least a token in every step in which it has one to compute, and nobody starves.
// Entry   A waiting sequence enters when the blocks that are free, less those the running ones
//         lack for their known tokens, hold all its known tokens and one block more (or when
//         nothing runs: then all blocks are free).
// Cost    Plan: linear in the running sequences. Finish of a waiting request: linear in the queue.
class Scheduler {
 public:
  // CHECK: blocks >= 0, every other limit >= 1, max_logit_rows >= max_sequences.
  explicit Scheduler(const SchedulerConfig& config);

  // The blocks a sequence of `tokens` needs.
  int64_t BlocksFor(int64_t tokens) const;
  // True when a sequence of `tokens` (prompt and answer) can ever run.
  bool Fits(int64_t tokens) const;

  // A request of `tokens` known tokens (>= 1) joins the queue. CHECK: Fits(tokens), id not known.
  void Add(RequestId id, int64_t tokens, LogitRows rows = LogitRows::kLast);
  // One more token of the sequence is known (it was sampled). CHECK: all known ones are computed,
  // one more Fits.
  void Extend(RequestId id);
  // The request is over, for whatever reason: its blocks are free. CHECK: the id is known.
  void Finish(RequestId id);

  // The next step; empty when no known token is left to compute. Its tokens count as computed once
  // it is returned.
  StepPlan Plan();

  int64_t waiting() const { return static_cast<int64_t>(waiting_.size()); }
  int64_t running() const { return static_cast<int64_t>(running_.size()); }
  int64_t free_blocks() const { return pool_.free(); }

 private:
  struct Sequence {
    RequestId id = 0;
    LogitRows rows = LogitRows::kLast;
    int64_t known = 0;     // tokens
    int64_t computed = 0;  // of them, in the cache
    int64_t share = 0;     // tokens granted in the step that is being planned
    std::vector<int32_t> blocks;
    bool restart = false;

    int64_t left() const { return known - computed; }
  };
  // What a step has left to give.
  struct Budget {
    int64_t tokens;
    int64_t logit_rows;
  };

  Budget ShareOut();
  static void Grant(Sequence& sequence, Budget& budget);
  void PlaceRunning(StepPlan& plan);
  void Admit(Budget budget, StepPlan& plan);
  bool MayEnter(const Sequence& sequence) const;
  void PreemptYoungest(StepPlan& plan);
  // Blocks `sequence` lacks to hold its first `tokens` tokens.
  int64_t Lacking(const Sequence& sequence, int64_t tokens) const;
  void Place(Sequence& sequence, StepPlan& plan);
  Sequence& Find(RequestId id);

  SchedulerConfig config_;
  BlockPool pool_;
  std::unordered_map<RequestId, Sequence> sequences_;  // owns what the two lists point to
  std::vector<Sequence*> running_;                     // oldest first
  std::deque<Sequence*> waiting_;                      // oldest first, all younger than the running
};

}  // namespace fathom

#endif  // FATHOM_SCHED_SCHEDULER_H_
