#include "sched/scheduler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/math.h"
#include "sched/decision.h"
#include "sched/policy.h"
#include "sched/prefix_index.h"
#include "sched/ranked_list.h"
#include "sched/request.h"
#include "sched/scheduler_config.h"
#include "sched/sequence_state.h"
#include "sched/stage_limits.h"
#include "sched/step_plan.h"
#include "sched/step_time.h"

namespace fathom {
namespace {

constexpr int32_t kNone = RankedList::kNone;

}  // namespace

Scheduler::Scheduler(const SchedulerConfig& config, StepPredictor predictor)
    : config_(config),
      predictor_(std::move(predictor)),
      cache_(config.blocks, config.block_tokens, config.prefix_cache),
      swap_pool_(config.swap_blocks),
      queue_(config.priority_step_s) {
  FATHOM_CHECK(config.block_tokens >= 1);
  FATHOM_CHECK(config.max_batched_tokens >= 1);
  FATHOM_CHECK(config.max_sequences >= 1);
  FATHOM_CHECK(config.max_logit_rows >= config.max_sequences);
  if (predictor_) return;
  predictor_ = [this](const StepShape& shape) { return step_times_.Predict(shape); };
}

int64_t Scheduler::BlocksFor(int64_t tokens) const { return CeilDiv(tokens, config_.block_tokens); }

bool Scheduler::Fits(int64_t tokens) const { return BlocksFor(tokens) <= config_.blocks; }

void Scheduler::Add(ScheduledRequest request) {
  FATHOM_CHECK(!request.tokens.empty());
  const int32_t slot = NewSlot();
  FATHOM_CHECK(slot_of_.try_emplace(request.id, slot).second);
  SequenceState& sequence = At(slot);
  sequence = SequenceState{};
  sequence.id = request.id;
  sequence.place = SequenceState::Place::kWaiting;
  sequence.rows = request.rows;
  sequence.rank = {request.arrival_s + config_.priority_step_s * request.priority, added_++};
  sequence.arrival_s = request.arrival_s;
  sequence.deadline_s = request.deadline_s;
  sequence.tokens = TokenList(std::move(request.tokens));
  sequence.prompt_tokens = sequence.known();
  sequence.max_tokens = request.max_tokens;
  if (request.deadline_s) {
    deadlines_.emplace_back(*request.deadline_s, request.id);
    std::ranges::push_heap(deadlines_, std::greater<>());
  }
  queue_.Push(slot, {request.client, request.priority, request.arrival_s});
  sequence.client = queue_.ClientOf(slot);
  if (CountsWaitingTokens()) LookUp(sequence);
}

void Scheduler::Extend(RequestId id, int32_t token) {
  SequenceState& sequence = At(FindPlanned(id));
  FATHOM_CHECK(sequence.place == SequenceState::Place::kRunning && sequence.left() == 0);
  sequence.tokens.Append(token);
  owed_ += Lacking(sequence, sequence.known());
}

void Scheduler::Finish(RequestId id, Contents contents) { Remove(Find(id), contents); }

const StepPlan& Scheduler::Plan(double now_s) {
  plan_.Clear();
  planned_slots_.clear();
  next_extended_ = 0;
  ++steps_;
  step_swaps_ = 0;
  now_s_ = now_s;
  PublishComputed();
  Expire(now_s);
  const Load load = Measure(now_s);
  const Stage stage = Choose(load);
  plan_.decision.stage = stage;
  if (stage != Stage::kNone) PlanStage(stage);
  // A prompt that cannot enter must not keep the others from going on.
  if (plan_.empty() && stage == Stage::kPrefill && (running() > 0 || swapped_ > 0)) {
    plan_.decision.gave_nothing = stage;
    plan_.decision.stage = Stage::kDecode;
    plan_.decision.rule = Rule::kLastWasEmpty;
    PlanStage(Stage::kDecode);
  }
  plan_.decision.still_waiting = waiting();
  if (plan_.decision.rule == Rule::kQueueDelay) PlanWaiting(load);
  Guard();
  return plan_;
}

void Scheduler::Observe(const StepShape& shape, double seconds) {
  step_times_.Observe(shape, seconds);
  if (config_.policy != Policy::kMindie || !config_.mindie.dynamic_batch_size) return;
  recent_decoding_.Observe(shape, seconds);
  AdjustDecodeBatch(config_.mindie, recent_decoding_, running() + swapped_, mindie_);
}

int32_t Scheduler::Find(RequestId id) const {
  const auto entry = slot_of_.find(id);
  FATHOM_CHECK(entry != slot_of_.end());
  return entry->second;
}

int32_t Scheduler::FindPlanned(RequestId id) {
  // Mostly they are extended in the order of the plan, but for the few that are finished instead.
  const size_t end = std::min(next_extended_ + kAhead, planned_slots_.size());
  PrefetchPlanned();
  for (size_t i = next_extended_; i < end; ++i) {
    if (plan_.sequences[i].id != id || At(planned_slots_[i]).id != id) continue;
    next_extended_ = i + 1;
    return planned_slots_[i];
  }
  next_extended_ = std::min(next_extended_ + 1, planned_slots_.size());
  return Find(id);
}

void Scheduler::PrefetchPlanned() const {
  const auto planned = [this](size_t ahead) {
    const size_t i = next_extended_ + ahead;
    return i < planned_slots_.size() ? planned_slots_[i] : kNone;
  };
  const int32_t far = planned(kAhead);
  if (far != kNone) Prefetch(far);
  // That one is here by now, and says whether more of it is needed.
  const int32_t near = planned(kAhead / 2);
  if (near != kNone && At(near).tokens.full()) At(near).tokens.Prefetch();
}

void Scheduler::Prefetch(int32_t slot) const {
  const SequenceState& sequence = At(slot);
  __builtin_prefetch(&sequence.tokens);
  __builtin_prefetch(&sequence.id);
}

int32_t Scheduler::NewSlot() {
  if (free_slots_.empty()) {
    slots_.emplace_back();
    return static_cast<int32_t>(slots_.size()) - 1;
  }
  const int32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void Scheduler::Remove(int32_t slot, Contents contents) {
  SequenceState& sequence = At(slot);
  switch (sequence.place) {
    case SequenceState::Place::kRunning:
      if (contents == Contents::kKeep) Publish(sequence);
      if (contents == Contents::kForget)
        std::ranges::for_each(sequence.blocks, [this](int32_t b) { cache_.Forget(b); });
      LeaveRunning(slot);
      break;
    case SequenceState::Place::kReturning:
      returning_.Erase(slot);
      if (sequence.swapped()) --swapped_;
      for (const int32_t block : sequence.swap_blocks) swap_pool_.Release(block);
      break;
    case SequenceState::Place::kWaiting:
      queue_.Take(slot);
      break;
    case SequenceState::Place::kNowhere:
      FATHOM_CHECK(false && "a slot that is in use has its place");
  }
  queue_.Leave(slot);
  slot_of_.erase(sequence.id);
  sequence = SequenceState{};
  free_slots_.push_back(slot);
}

void Scheduler::Expire(double now_s) {
  while (!deadlines_.empty() && deadlines_.front().first <= now_s) {
    const auto [deadline, id] = deadlines_.front();
    std::ranges::pop_heap(deadlines_, std::greater<>());
    deadlines_.pop_back();
    const auto entry = slot_of_.find(id);
    // The request is over, or its id was given to another since.
    if (entry == slot_of_.end() || At(entry->second).deadline_s != deadline) continue;
    Remove(entry->second, Contents::kKeep);
    plan_.expired.push_back(id);
    ++totals_.expired;
  }
}

void Scheduler::PlanWaiting(const Load& load) {
  if (!plan_.empty() || load.waiting == 0 || running() > 0) return;
  double until = QueueDelayEnds(config_.mindie, load);
  if (!deadlines_.empty()) until = std::min(until, deadlines_.front().first);
  // A time that is none is left to the guard.
  if (std::isfinite(until)) plan_.wait_until_s = until;
}

Stage Scheduler::Choose(const Load& load) {
  if (slot_of_.empty()) return Stage::kNone;
  switch (config_.policy) {
    case Policy::kChunked:
      return ChooseChunked(load, plan_.decision);
    case Policy::kFcfs:
      return ChooseFcfs(load, plan_.decision);
    case Policy::kMindie:
      return ChooseMindie(config_.mindie, load, predictor_, mindie_, plan_.decision);
  }
  return Stage::kNone;
}

StageLimits Scheduler::LimitsOf(Stage stage) const {
  switch (config_.policy) {
    case Policy::kChunked:
      return ChunkedLimits(config_);
    case Policy::kFcfs:
      return FcfsLimits(config_, stage);
    case Policy::kMindie:
      return MindieLimits(config_, stage, running() + swapped_, mindie_);
  }
  return {};
}

void Scheduler::PlanStage(Stage stage) {
  const StageLimits limits = LimitsOf(stage);
  Budget budget{limits.tokens, config_.max_logit_rows, limits.entering};
  if (prompts_ > 0) {
    ShareOut(limits, budget);
    PlaceRunning();
  } else if (limits.decodes) {
    DecodeAll(budget);
  }
  // Who enters now would take what was just taken from a sequence that is ranked higher.
  if (plan_.preempted.empty()) {
    Admit(limits, budget);
  } else if (waiting() > static_cast<int64_t>(plan_.preempted.size())) {
    No(LeftOut::kAfterPreemption, 0, 0);
  }
}

void Scheduler::ShareOut(const StageLimits& limits, Budget& budget) {
  for (int32_t slot = running_.first(); slot != kNone; slot = running_.next(slot)) {
    SequenceState& sequence = At(slot);
    sequence.share = 0;
    if (sequence.left() == 1 && limits.decodes) Grant(sequence, budget);
  }
  if (prompts_ == 0 || !limits.prefills) return;
  for (int32_t slot = running_.first(); slot != kNone; slot = running_.next(slot)) {
    SequenceState& sequence = At(slot);
    if (sequence.left() > 1) Grant(sequence, budget);
  }
}

void Scheduler::Grant(SequenceState& sequence, Budget& budget) {
  const bool all_rows = sequence.rows == LogitRows::kAll;
  int64_t count = std::min(sequence.left(), budget.tokens);
  if (all_rows) count = std::min(count, budget.logit_rows);
  // Without a row for its last token a prompt can still do the others.
  if (count == sequence.left() && budget.logit_rows == 0) --count;
  sequence.share = count;
  budget.tokens -= sequence.share;
  budget.logit_rows -= all_rows ? sequence.share : (sequence.share == sequence.left() ? 1 : 0);
}

void Scheduler::DecodeAll(Budget& budget) {
  int32_t ahead = running_.first();
  for (size_t i = 0; i < kAhead; ++i) ahead = PrefetchAfter(ahead);
  for (int32_t slot = running_.first(); slot != kNone; slot = running_.next(slot)) {
    ahead = PrefetchAfter(ahead);
    SequenceState& sequence = At(slot);
    if (sequence.left() != 1) continue;
    if (PlaceInLastBlock(slot, budget)) continue;
    Grant(sequence, budget);
    if (sequence.share == 0) return;
    PlaceOrPreempt(slot);
  }
}

// A hint only: it may follow one that has left the list meanwhile.
int32_t Scheduler::PrefetchAfter(int32_t slot) const {
  if (slot == kNone) return kNone;
  Prefetch(slot);
  return running_.next(slot);
}

bool Scheduler::PlaceInLastBlock(int32_t slot, Budget& budget) {
  SequenceState& sequence = At(slot);
  const int64_t end = sequence.computed + 1;
  const int64_t room = static_cast<int64_t>(sequence.blocks.size()) * config_.block_tokens;
  if (end > room || budget.tokens == 0 || budget.logit_rows == 0) return false;
  --budget.tokens;
  --budget.logit_rows;
  plan_.sequences.push_back({.id = sequence.id,
                             .first_token = static_cast<int32_t>(sequence.computed),
                             .count = 1,
                             .first_block = static_cast<int32_t>(plan_.blocks.size()),
                             .sample = true});
  planned_slots_.push_back(slot);
  ++plan_.shape.decoding;
  sequence.computed = end;
  sequence.step = steps_;
  Charge(sequence, end - 1);
  if (end == room && Publishes(sequence)) to_publish_.push_back(slot);
  return true;
}

void Scheduler::PlaceRunning() {
  for (int32_t slot = running_.first(); slot != kNone; slot = running_.next(slot)) {
    if (At(slot).share > 0) PlaceOrPreempt(slot);
  }
}

void Scheduler::PlaceOrPreempt(int32_t slot) {
  const SequenceState& sequence = At(slot);
  // running_ loses its last one on the way, never one that was placed already.
  const int64_t lacking = Lacking(sequence, sequence.computed + sequence.share);
  while (lacking > cache_.pool().available() && running_.last() != slot) {
    Preempt(running_.last(), sequence.id, Preemption::Reason::kBlocks);
  }
  Place(slot, /*enters=*/false);
}

void Scheduler::Place(int32_t slot, bool enters) {
  SequenceState& sequence = At(slot);
  const auto held = static_cast<int64_t>(sequence.blocks.size());
  const int64_t room = (held + cache_.pool().available()) * config_.block_tokens;
  const int64_t left = sequence.left();
  const int64_t count = std::min(sequence.share, room - sequence.computed);
  if (count <= 0) return;
  PlannedSequence& planned = plan_.sequences.emplace_back();
  planned_slots_.push_back(slot);
  planned.id = sequence.id;
  planned.first_token = static_cast<int32_t>(sequence.computed);
  planned.count = static_cast<int32_t>(count);
  planned.first_block = static_cast<int32_t>(plan_.blocks.size());
  planned.cached_tokens = enters ? planned.first_token : 0;
  planned.enters = enters;
  planned.sample = count == left;
  GiveBlocks(sequence, count, enters);
  planned.new_blocks = static_cast<int32_t>(plan_.blocks.size()) - planned.first_block;
  const bool decodes = left == 1 && (!enters || sequence.computed >= sequence.prompt_tokens);
  (decodes ? plan_.shape.decoding : plan_.shape.prefill_tokens) += count;
  if (left > 1 && left - count <= 1) --prompts_;
  sequence.computed += count;
  sequence.step = steps_;
  Charge(sequence, planned.first_token);
  if (Publishes(sequence) && sequence.computed >= (sequence.published + 1) * config_.block_tokens) {
    to_publish_.push_back(slot);
  }
}

void Scheduler::GiveBlocks(SequenceState& sequence, int64_t count, bool enters) {
  // Whoever enters begins its table with the blocks it shares, copies or gets back.
  if (enters) {
    plan_.blocks.insert(plan_.blocks.end(), sequence.blocks.begin(), sequence.blocks.end());
  }
  const int64_t lacking = Lacking(sequence, sequence.computed + count);
  for (int64_t i = 0; i < lacking; ++i) {
    sequence.blocks.push_back(cache_.Take());
    plan_.blocks.push_back(sequence.blocks.back());
  }
  owed_ -= lacking;
}

void Scheduler::Charge(SequenceState& sequence, int64_t first_token) {
  // What is computed again after a preemption is not the client's fault.
  const int64_t from = std::max(sequence.charged, first_token);
  const int64_t count = sequence.computed - from;
  if (count <= 0) return;
  sequence.charged = sequence.computed;
  const int64_t prompt = std::clamp<int64_t>(sequence.prompt_tokens - from, 0, count);
  queue_.Charge(sequence.client, prompt + 2 * (count - prompt));
}

void Scheduler::Preempt(int32_t slot, RequestId in_favour_of, Preemption::Reason reason) {
  SequenceState& sequence = At(slot);
  Preemption preemption{.id = sequence.id,
                        .in_favour_of = in_favour_of,
                        .reason = reason,
                        .blocks = static_cast<int64_t>(sequence.blocks.size())};
  preemption.swapped = SwapOut(sequence);
  LeaveRunning(slot);
  ++(preemption.swapped ? totals_.swapped_out : totals_.recomputed);
  if (!preemption.swapped) {
    sequence.computed = 0;
    sequence.found = 0;
  }
  sequence.place = SequenceState::Place::kReturning;
  returning_.Insert(slot, sequence.rank);
  plan_.preempted.push_back(preemption);
}

bool Scheduler::MaySwap(const SequenceState& sequence) const {
  if (sequence.left() != 1 || sequence.rows == LogitRows::kAll) return false;
  if (config_.policy == Policy::kMindie && step_swaps_ >= config_.mindie.max_preempt_count) {
    return false;
  }
  return static_cast<int64_t>(sequence.blocks.size()) <= swap_pool_.free();
}

bool Scheduler::SwapOut(SequenceState& sequence) {
  if (!MaySwap(sequence)) return false;
  for (const int32_t block : sequence.blocks) {
    sequence.swap_blocks.push_back(swap_pool_.Take());
    plan_.copies.push_back({BlockCopy::Kind::kToSwap, block, sequence.swap_blocks.back()});
  }
  ++step_swaps_;
  ++swapped_;
  return true;
}

void Scheduler::LeaveRunning(int32_t slot) {
  SequenceState& sequence = At(slot);
  running_.Erase(slot);
  owed_ -= Lacking(sequence, sequence.known());
  if (sequence.left() > 1) --prompts_;
  cache_.Release(sequence.blocks);
  sequence.blocks.clear();
  sequence.published = 0;
  sequence.node = kEmptyPrefix;
}

int64_t Scheduler::Lacking(const SequenceState& sequence, int64_t tokens) const {
  const auto held = static_cast<int64_t>(sequence.blocks.size());
  return tokens <= held * config_.block_tokens ? 0 : BlocksFor(tokens) - held;
}

}  // namespace fathom
