#ifndef FATHOM_SCHED_SCHEDULER_H_
#define FATHOM_SCHED_SCHEDULER_H_

#include <cstdint>
#include <vector>

namespace fathom {

using RequestId = int64_t;

struct SchedulerConfig {
  int64_t blocks = 0;  // cache blocks there are
  int64_t block_tokens = 16;
  int64_t max_batched_tokens = 512;  // most tokens in one step
  int64_t max_sequences = 64;        // most sequences running at once
};

// What one sequence does in a step: it computes tokens [first_token, first_token + count).
struct PlannedSequence {
  RequestId id = 0;
  int64_t first_token = 0;
  int64_t count = 0;
  std::vector<int32_t> new_blocks;  // appended to its block table
  bool restart = false;  // its earlier blocks are gone (it was preempted): the table begins anew
  bool sample = false;   // the last token is the newest known: a next token is to be sampled
};

struct StepPlan {
  std::vector<PlannedSequence> sequences;
  std::vector<RequestId> preempted;  // lost their blocks before this step and wait again
  bool empty() const { return sequences.empty(); }
};

// Decides what each step computes: first come, first served; decoding before prompts; prompts in
// chunks when they do not fit into a step; when blocks run out the latest sequence gives its up and
// is computed again later. Integers only: no tensor, no clock.
class Scheduler {
 public:
  explicit Scheduler(const SchedulerConfig& config);

  // The blocks a sequence of `tokens` needs.
  int64_t BlocksFor(int64_t tokens) const;
  // True when a sequence of `tokens` (prompt and answer) can ever run.
  bool Fits(int64_t tokens) const;

  // A request of `tokens` known tokens (>= 1) joins the queue. CHECK: Fits(tokens), id not known.
  void Add(RequestId id, int64_t tokens);
  // One more token of the sequence is known (it was sampled).
  void Extend(RequestId id);
  // The request is over, for whatever reason: its blocks are free.
  void Finish(RequestId id);

  // The next step; empty when nothing is waiting or running. Its tokens count as computed once it
  // is returned.
  StepPlan Plan();

  int64_t waiting() const;
  int64_t running() const;
  int64_t free_blocks() const;

 private:
  SchedulerConfig config_;
};

}  // namespace fathom

#endif  // FATHOM_SCHED_SCHEDULER_H_
