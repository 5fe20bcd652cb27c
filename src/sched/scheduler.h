#ifndef FATHOM_SCHED_SCHEDULER_H_
#define FATHOM_SCHED_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "sched/block_pool.h"
#include "sched/decision.h"
#include "sched/mindie_policy.h"
#include "sched/policy.h"
#include "sched/prefix_cache.h"
#include "sched/ranked_list.h"
#include "sched/request.h"
#include "sched/scheduler_config.h"
#include "sched/sequence_state.h"
#include "sched/stage_limits.h"
#include "sched/step_plan.h"
#include "sched/step_time.h"
#include "sched/waiting_queue.h"

namespace fathom {

// What has happened since the start.
struct SchedulerTotals {
  int64_t prompt_tokens = 0;  // of requests that entered, each counted once
  int64_t cached_tokens = 0;  // of them, those the prefix cache had
  int64_t recomputed = 0;     // preemptions by recomputing
  int64_t swapped_out = 0;    // and by swapping
  int64_t swapped_in = 0;
  int64_t expired = 0;
};

// Decides what each step computes. Integers and times only: no tensor, no clock, no I/O; time is an
// argument, so that a simulator can drive the same code.
//
// Rank    Who runs or ran is ranked by arrival + priority * priority_step_s, the lower first, among
//         equals by Add. Of whoever runs, the first ranked gets tokens and blocks first, the last
//         ranked loses its blocks first. Only requests that came before, or at most as much later
//         as their priority is better, can rank before a request: finitely many.
// Tokens  (chunked) Each running sequence with one token left (it decodes) gets it; then prompts as
//         much as the limits leave: the last one gets a piece. A waiting one enters only when the
//         prompts before it could not use up the step, so those who decode can never crowd out a
//         prompt. The other policies compute prompts and decode in different steps (policy.h).
// Blocks  Given out in rank order, for the tokens of this step. When none is free the last ranked
//         running one gives all of its up (Preemption) and returns before anybody who has not run
//         yet. The last one itself never gives up: it waits with what it has. So the first ranked
//         computes at least a token in every step that computes what it has to compute, and nobody
//         who runs starves.
// Entry   Whoever lost its blocks returns first, in rank order. Then WaitingQueue says who is next,
//         and nobody overtakes it, but see Prefix. It enters when the blocks to be had, less those
//         the running ones lack for their known tokens, hold all its known tokens and one block
//         more (or when nothing runs: then all blocks are to be had). So whoever Fits will run.
// Prefix  An entering sequence begins with what the cache has of its tokens, all but the last one
// at
//         most: whole blocks are shared; of the block after them the part that agrees is copied to
//         a block of its own, so that shared blocks are never written. A block can be found once
//         the step that computed it is over, by its tokens and all tokens before them, compared one
//         by one. Answers are found as prompts are. Blocks nobody holds any more are kept until
//         others need the room, the longest unused first. A request that shares at least a block
//         more with a prompt that is being computed than with the cache lets others pass and waits
//         for it, a few times at most: prompts that come together are computed once. Scored
//         sequences (LogitRows::kAll) neither look nor are found: every position's logits are
//         wanted, so nothing can be left out, and texts that are scored are read once and would
//         push conversations out.
// Swap    A preempted sequence that decodes is copied to swap blocks, when there are enough, and
//         copied back; otherwise it is computed again from its known tokens, less what the prefix
//         cache still has.
// Guard   If requests are open and nothing can be computed, now or later, the plan says so (Stuck).
// Cost    Plan: linear in the running sequences, without allocation once buffers have grown.
//         Extend and Finish: O(1) and what the blocks take.
class Scheduler {
 public:
  // CHECK: blocks >= 0, every other limit >= 1, max_logit_rows >= max_sequences. `predictor` is
  // asked by mindie's stageSelectPolicy 2; without one, step times are learnt from Observe.
  explicit Scheduler(const SchedulerConfig& config, StepPredictor predictor = nullptr);

  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // The blocks a sequence of `tokens` needs.
  int64_t BlocksFor(int64_t tokens) const;
  // True when a sequence of `tokens` (prompt and answer) can ever run. One that does not fit may be
  // added and ends up Stuck.
  bool Fits(int64_t tokens) const;

  // A request joins the queue. CHECK: it has a token, its id is not known.
  void Add(ScheduledRequest request);
  // One more token of the sequence is known (it was sampled). CHECK: it runs and all its known ones
  // are computed.
  void Extend(RequestId id, int32_t token);

  enum class Contents {
    kKeep,    // what was computed may be found by others
    kForget,  // it may be wrong: nobody is to find it
  };
  // The request is over, for whatever reason: it holds nothing any more. Not between Plan and the
  // end of its step. CHECK: the id is known.
  void Finish(RequestId id, Contents contents = Contents::kKeep);

  // The next step; empty when no known token is left to compute, or the policy lets them wait. Its
  // tokens count as computed once the next call of any function is made. Valid until the next Plan.
  const StepPlan& Plan(double now_s);

  // The step that was planned last had this shape and took so long. Mindie's dynamic batch size
  // goes by it, also when there is a predictor.
  void Observe(const StepShape& shape, double seconds);

  const SchedulerConfig& config() const { return config_; }
  const SchedulerTotals& totals() const { return totals_; }
  int64_t waiting() const { return queue_.size() + returning_.size(); }
  int64_t running() const { return running_.size(); }
  int64_t swapped() const { return swapped_; }
  // free + held + cached = config().blocks
  int64_t free_blocks() const { return cache_.pool().free(); }
  int64_t held_blocks() const { return cache_.pool().held(); }
  int64_t cached_blocks() const { return cache_.pool().cached(); }
  int64_t free_swap_blocks() const { return swap_pool_.free(); }

 private:
  // How many sequences ahead memory is asked for: at thousands of them each is a miss.
  static constexpr size_t kAhead = 8;

  // What a step has left to give.
  struct Budget {
    int64_t tokens = 0;
    int64_t logit_rows = 0;
    int64_t entering = 0;
  };

  SequenceState& At(int32_t slot) { return slots_[static_cast<size_t>(slot)]; }
  const SequenceState& At(int32_t slot) const { return slots_[static_cast<size_t>(slot)]; }
  int32_t Find(RequestId id) const;
  int32_t FindPlanned(RequestId id);
  void Prefetch(int32_t slot) const;
  // What FindPlanned and Extend will touch soon.
  void PrefetchPlanned() const;
  int32_t NewSlot();
  void Remove(int32_t slot, Contents contents);
  void Expire(double now_s);

  // Stages.
  Load Measure(double now_s) const;
  void MeasureWaiting(Load& load) const;
  int64_t WaitingTokens(int64_t most_requests) const;
  bool CountsWaitingTokens() const;
  Stage Choose(const Load& load);
  StageLimits LimitsOf(Stage stage) const;
  void PlanStage(Stage stage);
  void PlanWaiting(const Load& load);
  void Guard();
  std::string Numbers(const SequenceState& sequence) const;

  // Running sequences.
  void ShareOut(const StageLimits& limits, Budget& budget);
  static void Grant(SequenceState& sequence, Budget& budget);
  // ShareOut and PlaceRunning in one, when no prompt is being computed.
  void DecodeAll(Budget& budget);
  int32_t PrefetchAfter(int32_t slot) const;
  // The usual step of a sequence that decodes, in few instructions: one token, and room for it in
  // the last block. False, with nothing done, when it is not so.
  bool PlaceInLastBlock(int32_t slot, Budget& budget);
  void PlaceRunning();
  void PlaceOrPreempt(int32_t slot);
  void Place(int32_t slot, bool enters);
  void GiveBlocks(SequenceState& sequence, int64_t count, bool enters);
  void Charge(SequenceState& sequence, int64_t first_token);
  void Preempt(int32_t slot, RequestId in_favour_of, Preemption::Reason reason);
  bool MaySwap(const SequenceState& sequence) const;
  bool SwapOut(SequenceState& sequence);
  void LeaveRunning(int32_t slot);
  // Blocks `sequence` lacks to hold its first `tokens` tokens.
  int64_t Lacking(const SequenceState& sequence, int64_t tokens) const;

  // Those that wait (scheduler_entry.cc).
  void Admit(const StageLimits& limits, Budget& budget);
  int32_t NextToEnter(const StageLimits& limits) const;
  LeftOut TryEnter(int32_t slot, const StageLimits& limits, Budget& budget);
  bool MakeRoomForFirstToken(int32_t slot);
  LeftOut TryGrant(SequenceState& sequence, const StageLimits& limits, Budget& budget);
  bool HasBlocksFor(const SequenceState& sequence, int64_t found, int64_t idle);
  LeftOut No(LeftOut why, int64_t need, int64_t have);
  void LookUp(SequenceState& sequence);
  void BeginFromMatch(SequenceState& sequence);
  void SwapIn(SequenceState& sequence);
  void BeginRunning(int32_t slot);
  // A prefix it was found to wait for is not there yet.
  bool StillAwaits(const SequenceState& sequence) const;
  // It begins to wait for a prefix longer than match_.
  bool BeginsToAwait(SequenceState& sequence);

  // The prefix cache.
  bool Publishes(const SequenceState& sequence) const {
    return cache_.enabled() && sequence.rows == LogitRows::kLast;
  }
  void PublishComputed();
  void PrefetchPublish(SequenceState& sequence);
  bool HasToPublish(const SequenceState& sequence) const;
  // Its next block, and the tokens of that.
  static int32_t BlockToPublish(const SequenceState& sequence);
  std::span<const int32_t> TokensToPublish(SequenceState& sequence) const;
  void Publish(SequenceState& sequence);

  SchedulerConfig config_;
  StepPredictor predictor_;
  StepTimes step_times_;
  RecentDecoding recent_decoding_;
  MindieState mindie_;
  PrefixCache cache_;
  BlockPool swap_pool_;
  WaitingQueue queue_;
  RankedList running_;
  RankedList returning_;
  HugeVector<SequenceState> slots_;
  std::vector<int32_t> free_slots_;
  std::unordered_map<RequestId, int32_t> slot_of_;
  std::vector<std::pair<double, RequestId>> deadlines_;  // a heap, the earliest first

  int64_t added_ = 0;
  int64_t steps_ = 0;
  int64_t owed_ = 0;     // blocks the running ones lack for their known tokens
  int64_t prompts_ = 0;  // running ones with more than one token left
  int64_t swapped_ = 0;  // returning ones that are swapped out
  int64_t step_swaps_ = 0;
  double now_s_ = 0;
  SchedulerTotals totals_;
  StepPlan plan_;
  std::vector<int32_t> planned_slots_;  // of plan_.sequences
  size_t next_extended_ = 0;            // of them

  std::vector<int32_t> to_publish_;   // whose blocks the last step filled
  std::vector<int32_t> computing_;    // whose prompts are not all published
  std::vector<int32_t> passed_over_;  // in this step, for their prefix
  PrefixMatch match_;                 // of the one that is about to enter
};

}  // namespace fathom

#endif  // FATHOM_SCHED_SCHEDULER_H_
