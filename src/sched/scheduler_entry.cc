// How those that wait begin to run.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/format.h"
#include "sched/decision.h"
#include "sched/prefix_cache.h"
#include "sched/ranked_list.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"
#include "sched/sequence_state.h"
#include "sched/stage_limits.h"
#include "sched/step_plan.h"
#include "sched/waiting_queue.h"

namespace fathom {
namespace {

constexpr int32_t kNone = WaitingQueue::kNone;
// How often a request may wait for a prefix that others compute.
constexpr int kMostTimesAwaited = 4;
// Tokens of an answer that get room when its sequence begins to run.
constexpr int64_t kReservedTokens = 4096;

std::span<const int32_t> FirstTokens(SequenceState& sequence, int64_t count) {
  return sequence.tokens.All().first(static_cast<size_t>(count));
}

int64_t CommonTokens(std::span<const int32_t> a, std::span<const int32_t> b) {
  return std::ranges::mismatch(a, b).in1 - a.begin();
}

}  // namespace

void Scheduler::Admit(const StageLimits& limits, Budget& budget) {
  for (int32_t slot = NextToEnter(limits); slot != kNone; slot = NextToEnter(limits)) {
    LeftOut why = TryEnter(slot, limits, budget);
    if (why == LeftOut::kBlocks && MakeRoomForFirstToken(slot)) {
      why = TryEnter(slot, limits, budget);
    }
    if (why == LeftOut::kPrefix) {
      queue_.Take(slot);
      passed_over_.push_back(slot);
    } else if (why != LeftOut::kNobody) {
      plan_.decision.left_out_id = At(slot).id;
      break;
    }
    // The blocks were taken for this one.
    if (!plan_.preempted.empty()) break;
  }
  plan_.decision.awaiting_prefix = static_cast<int64_t>(passed_over_.size());
  // Each before its client's others, so the last one first.
  for (; !passed_over_.empty(); passed_over_.pop_back()) queue_.PutBack(passed_over_.back());
}

int32_t Scheduler::NextToEnter(const StageLimits& limits) const {
  if (returning_.empty()) return queue_.First();
  for (int32_t slot = returning_.first(); slot != kNone; slot = returning_.next(slot)) {
    if (At(slot).swapped() ? limits.decodes : limits.prefills) return slot;
  }
  return returning_.first();
}

LeftOut Scheduler::TryEnter(int32_t slot, const StageLimits& limits, Budget& budget) {
  SequenceState& sequence = At(slot);
  if (sequence.swapped() ? !limits.decodes : !limits.prefills) return No(LeftOut::kStage, 0, 0);
  if (running() >= config_.max_sequences) {
    return No(LeftOut::kSequences, running() + 1, config_.max_sequences);
  }
  if (budget.tokens == 0) return No(LeftOut::kTokens, 1, 0);
  if (sequence.swapped()) {
    if (!HasBlocksFor(sequence, 0, 0)) return LeftOut::kBlocks;
    Grant(sequence, budget);
    if (sequence.share == 0) return No(LeftOut::kLogitRows, 1, 0);
    SwapIn(sequence);
    BeginRunning(slot);
    return LeftOut::kNobody;
  }
  if (budget.entering == 0) return No(LeftOut::kBatch, limits.entering + 1, limits.entering);
  // Asked first: it takes a look, where finding the prefix again takes all its blocks.
  if (StillAwaits(sequence)) return LeftOut::kPrefix;
  LookUp(sequence);
  if (BeginsToAwait(sequence)) return LeftOut::kPrefix;
  const auto found = static_cast<int64_t>(match_.blocks.size());
  if (!HasBlocksFor(sequence, found, cache_.IdleBlocks(match_))) return LeftOut::kBlocks;
  sequence.computed = match_.tokens;
  const LeftOut why = TryGrant(sequence, limits, budget);
  if (why != LeftOut::kNobody) {
    sequence.computed = 0;
    return why;
  }
  BeginFromMatch(sequence);
  BeginRunning(slot);
  --budget.entering;
  return LeftOut::kNobody;
}

bool Scheduler::MakeRoomForFirstToken(int32_t slot) {
  if (config_.policy != Policy::kMindie || !plan_.preempted.empty()) return false;
  const SequenceState& sequence = At(slot);
  const double waited = now_s_ - sequence.arrival_s;
  if (sequence.place != SequenceState::Place::kWaiting) return false;
  if (waited <= config_.mindie.max_first_token_wait_s) return false;
  // Only one that got a token since it entered loses its blocks, so that each gets on.
  for (int32_t last = running_.last(); last != kNone; last = running_.previous(last)) {
    if (At(last).known() == At(last).entry_tokens || At(last).step == steps_) continue;
    const auto freed = std::ranges::count_if(
        At(last).blocks, [this](int32_t block) { return cache_.pool().holders(block) == 1; });
    // Nor are the blocks it lacked needed any more.
    const int64_t gained = freed + Lacking(At(last), At(last).known());
    // In vain it would be computed again and again.
    if (gained < plan_.decision.need - plan_.decision.have) return false;
    Preempt(last, sequence.id, Preemption::Reason::kFirstTokenWait);
    return true;
  }
  return false;
}

LeftOut Scheduler::TryGrant(SequenceState& sequence, const StageLimits& limits, Budget& budget) {
  const bool first = plan_.sequences.empty();
  if (limits.whole_prompts && !first && sequence.left() > budget.tokens) {
    return No(LeftOut::kTokens, sequence.left(), budget.tokens);
  }
  const Budget before = budget;
  Grant(sequence, budget);
  if (sequence.share > 0) return LeftOut::kNobody;
  budget = before;
  return No(LeftOut::kLogitRows, 1, 0);
}

bool Scheduler::HasBlocksFor(const SequenceState& sequence, int64_t found, int64_t idle) {
  if (running_.empty()) return true;
  const int64_t need = BlocksFor(sequence.known()) - found + 1 + owed_;
  const int64_t have = cache_.pool().available() - idle;
  if (need <= have) return true;
  No(LeftOut::kBlocks, need, have);
  return false;
}

LeftOut Scheduler::No(LeftOut why, int64_t need, int64_t have) {
  plan_.decision.left_out = why;
  plan_.decision.need = need;
  plan_.decision.have = have;
  return why;
}

void Scheduler::LookUp(SequenceState& sequence) {
  cache_.Find(Publishes(sequence) ? FirstTokens(sequence, sequence.known() - 1)
                                  : std::span<const int32_t>(),
              match_);
  sequence.found = static_cast<int32_t>(match_.tokens);
}

void Scheduler::BeginFromMatch(SequenceState& sequence) {
  for (const int32_t block : match_.blocks) {
    cache_.Share(block);
    sequence.blocks.push_back(block);
  }
  sequence.published = static_cast<int64_t>(match_.blocks.size());
  sequence.node = match_.node;
  if (match_.partial.tokens > 0) {
    const int32_t block = cache_.Take();
    // What is copied may itself have been the one to give way: then it is where it has to be.
    if (block != match_.partial.block) {
      plan_.copies.push_back({BlockCopy::Kind::kWithin, match_.partial.block, block});
    }
    sequence.blocks.push_back(block);
  }
  if (sequence.place != SequenceState::Place::kWaiting) return;
  totals_.prompt_tokens += sequence.prompt_tokens;
  totals_.cached_tokens += sequence.computed;
}

void Scheduler::SwapIn(SequenceState& sequence) {
  for (const int32_t from : sequence.swap_blocks) {
    sequence.blocks.push_back(cache_.Take());
    plan_.copies.push_back({BlockCopy::Kind::kFromSwap, from, sequence.blocks.back()});
    swap_pool_.Release(from);
  }
  sequence.swap_blocks.clear();
  --swapped_;
  ++totals_.swapped_in;
}

void Scheduler::BeginRunning(int32_t slot) {
  SequenceState& sequence = At(slot);
  if (sequence.place == SequenceState::Place::kReturning) {
    returning_.Erase(slot);
  } else {
    queue_.Serve(slot);
    const int64_t most = sequence.known() + sequence.max_tokens;
    sequence.blocks.reserve(static_cast<size_t>(std::min(BlocksFor(most), config_.blocks)));
    sequence.tokens.Reserve(std::min(most, sequence.known() + kReservedTokens));
  }
  sequence.place = SequenceState::Place::kRunning;
  running_.Insert(slot, sequence.rank);
  owed_ += Lacking(sequence, sequence.known());
  if (sequence.left() > 1) ++prompts_;
  sequence.entry_tokens = sequence.known();
  if (Publishes(sequence) && sequence.published < sequence.entry_tokens / config_.block_tokens) {
    computing_.push_back(slot);
  }
  Place(slot, /*enters=*/true);
}

bool Scheduler::StillAwaits(const SequenceState& sequence) const {
  if (sequence.awaited_slot < 0) return false;
  const SequenceState& awaited = At(sequence.awaited_slot);
  return awaited.id == sequence.awaited_id && awaited.place == SequenceState::Place::kRunning &&
         awaited.published < sequence.awaited_blocks;
}

bool Scheduler::BeginsToAwait(SequenceState& sequence) {
  sequence.awaited_slot = -1;
  if (sequence.place != SequenceState::Place::kWaiting || !Publishes(sequence)) return false;
  if (sequence.times_awaited >= kMostTimesAwaited) return false;
  // A block more at least than the cache has, or computing it is as good as waiting for it.
  int64_t longest = match_.tokens + config_.block_tokens - 1;
  const std::span<const int32_t> own = sequence.tokens.All();
  for (const int32_t slot : computing_) {
    SequenceState& other = At(slot);
    const std::span<const int32_t> theirs = FirstTokens(other, other.entry_tokens);
    // Mostly they part before: one look is enough.
    const auto decisive = static_cast<size_t>(longest);
    if (decisive >= std::min(own.size(), theirs.size())) continue;
    if (own[decisive] != theirs[decisive]) continue;
    const int64_t blocks = CommonTokens(own, theirs) / config_.block_tokens;
    const int64_t usable = std::min(blocks * config_.block_tokens, sequence.known() - 1);
    if (usable <= longest || blocks <= other.published) continue;
    longest = usable;
    sequence.awaited_slot = slot;
    sequence.awaited_id = other.id;
    sequence.awaited_blocks = blocks;
  }
  if (sequence.awaited_slot < 0) return false;
  ++sequence.times_awaited;
  return true;
}

void Scheduler::Guard() {
  if (!plan_.empty() || plan_.wait_until_s || slot_of_.empty()) return;
  int32_t culprit = NextToEnter({});
  for (int32_t slot = running_.first(); slot != kNone; slot = running_.next(slot)) {
    // The caller has yet to extend or finish one: then the next plan is another.
    if (At(slot).left() == 0) return;
    if (slot == running_.first()) culprit = slot;
  }
  if (culprit == kNone) return;
  plan_.stuck = Stuck{At(culprit).id, Numbers(At(culprit))};
}

std::string Scheduler::Numbers(const SequenceState& sequence) const {
  return Format(
      "the scheduler cannot go on: the sequence has {} tokens, {} of them computed, and needs {} "
      "cache blocks of {}; it holds {}, of all {} blocks {} are free and {} cached; {} sequences "
      "run, {} wait; a step has {} tokens and {} rows of logits",
      sequence.known(), sequence.computed, BlocksFor(sequence.known()), config_.block_tokens,
      sequence.blocks.size(), config_.blocks, free_blocks(), cached_blocks(), running(), waiting(),
      config_.max_batched_tokens, config_.max_logit_rows);
}

}  // namespace fathom
