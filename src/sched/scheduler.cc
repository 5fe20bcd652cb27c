#include "sched/scheduler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/math.h"

namespace fathom {
Scheduler::Scheduler(const SchedulerConfig& config) : config_(config), pool_(config.blocks) {
  FATHOM_CHECK(config.block_tokens >= 1);
  FATHOM_CHECK(config.max_batched_tokens >= 1);
  FATHOM_CHECK(config.max_sequences >= 1);
  FATHOM_CHECK(config.max_logit_rows >= config.max_sequences);
}

int64_t Scheduler::BlocksFor(int64_t tokens) const { return CeilDiv(tokens, config_.block_tokens); }

bool Scheduler::Fits(int64_t tokens) const { return BlocksFor(tokens) <= config_.blocks; }

void Scheduler::Add(RequestId id, int64_t tokens, LogitRows rows) {
  FATHOM_CHECK(tokens >= 1 && Fits(tokens));
  const auto [entry, is_new] = sequences_.try_emplace(id);
  FATHOM_CHECK(is_new);
  entry->second.id = id;
  entry->second.rows = rows;
  entry->second.known = tokens;
  waiting_.push_back(&entry->second);
}

void Scheduler::Extend(RequestId id) {
  Sequence& sequence = Find(id);
  FATHOM_CHECK(sequence.left() == 0 && Fits(sequence.known + 1));
  ++sequence.known;
}

void Scheduler::Finish(RequestId id) {
  Sequence& sequence = Find(id);
  pool_.Give(sequence.blocks);
  std::erase(running_, &sequence);
  std::erase(waiting_, &sequence);
  sequences_.erase(id);
}

StepPlan Scheduler::Plan() {
  StepPlan plan;
  const Budget left = ShareOut();
  PlaceRunning(plan);
  // Who enters now would take what was just taken from a sequence that is older.
  if (plan.preempted.empty()) Admit(left, plan);
  return plan;
}

Scheduler::Budget Scheduler::ShareOut() {
  Budget budget{config_.max_batched_tokens, config_.max_logit_rows};
  for (Sequence* sequence : running_) {
    sequence->share = 0;
    if (sequence->left() == 1) Grant(*sequence, budget);
  }
  for (Sequence* sequence : running_) {
    if (sequence->left() > 1) Grant(*sequence, budget);
  }
  return budget;
}

void Scheduler::Grant(Sequence& sequence, Budget& budget) {
  const bool all_rows = sequence.rows == LogitRows::kAll;
  int64_t count = std::min(sequence.left(), budget.tokens);
  if (all_rows) count = std::min(count, budget.logit_rows);
  // Without a row for its last token a prompt can still do the others.
  if (count == sequence.left() && budget.logit_rows == 0) --count;
  sequence.share = count;
  budget.tokens -= sequence.share;
  budget.logit_rows -= all_rows ? sequence.share : (sequence.share == sequence.left() ? 1 : 0);
}

void Scheduler::PlaceRunning(StepPlan& plan) {
  // running_ loses its youngest on the way, never one that was placed already.
  for (size_t i = 0; i < running_.size(); ++i) {
    Sequence& sequence = *running_[i];
    if (sequence.share == 0) continue;
    const int64_t lacking = Lacking(sequence, sequence.computed + sequence.share);
    while (lacking > pool_.free() && running_.back() != &sequence) PreemptYoungest(plan);
    Place(sequence, plan);
  }
}

void Scheduler::Admit(Budget budget, StepPlan& plan) {
  while (!waiting_.empty() && running() < config_.max_sequences) {
    Sequence& sequence = *waiting_.front();
    Grant(sequence, budget);
    if (sequence.share == 0 || !MayEnter(sequence)) return;
    waiting_.pop_front();
    running_.push_back(&sequence);
    Place(sequence, plan);
  }
}

bool Scheduler::MayEnter(const Sequence& sequence) const {
  if (running_.empty()) return true;
  int64_t needed = BlocksFor(sequence.known) + 1;
  for (const Sequence* other : running_) needed += Lacking(*other, other->known);
  return needed <= pool_.free();
}

void Scheduler::PreemptYoungest(StepPlan& plan) {
  Sequence& sequence = *running_.back();
  running_.pop_back();
  waiting_.push_front(&sequence);
  pool_.Give(sequence.blocks);
  sequence.blocks.clear();
  sequence.computed = 0;
  sequence.restart = true;
  plan.preempted.push_back(sequence.id);
}

int64_t Scheduler::Lacking(const Sequence& sequence, int64_t tokens) const {
  return std::max<int64_t>(BlocksFor(tokens) - static_cast<int64_t>(sequence.blocks.size()), 0);
}

void Scheduler::Place(Sequence& sequence, StepPlan& plan) {
  const int64_t room =
      (static_cast<int64_t>(sequence.blocks.size()) + pool_.free()) * config_.block_tokens;
  const int64_t count = std::min(sequence.share, room - sequence.computed);
  if (count == 0) return;
  PlannedSequence planned;
  planned.id = sequence.id;
  planned.first_token = sequence.computed;
  planned.count = count;
  planned.new_blocks = pool_.Take(Lacking(sequence, sequence.computed + count));
  planned.restart = std::exchange(sequence.restart, false);
  planned.sample = count == sequence.left();
  sequence.blocks.insert(sequence.blocks.end(), planned.new_blocks.begin(),
                         planned.new_blocks.end());
  sequence.computed += count;
  plan.sequences.push_back(std::move(planned));
}

Scheduler::Sequence& Scheduler::Find(RequestId id) {
  const auto entry = sequences_.find(id);
  FATHOM_CHECK(entry != sequences_.end());
  return entry->second;
}

}  // namespace fathom
