#include "sched/scheduler_shadow_testing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/math.h"
#include "sched/decision.h"
#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"
#include "sched/step_plan.h"

namespace fathom {

SchedulerShadow::SchedulerShadow(const SchedulerConfig& config)
    : config_(config),
      scheduler_(config),
      cache_(static_cast<size_t>(config.blocks * config.block_tokens), -1),
      swap_(static_cast<size_t>(config.swap_blocks * config.block_tokens), -1) {}

int32_t SchedulerShadow::TokenOf(RequestId id, int64_t position) const {
  const Request& request = live_.at(id).request;
  const uint64_t own = position >= request.differs_from ? static_cast<uint64_t>(id) + 1 : 0;
  // Few different tokens, so that blocks agree by chance too.
  return static_cast<int32_t>(
      (request.family * 7 + own * 5 + static_cast<uint64_t>(position) * 3 + own * own) % 4);
}

RequestId SchedulerShadow::Add(const Request& request) {
  const RequestId id = next_id_++;
  Sequence& sequence = live_[id];
  sequence.request = request;
  sequence.arrival_s = now_s_;
  sequence.rank = now_s_ + config_.priority_step_s * request.priority;
  for (int64_t i = 0; i < request.prompt; ++i) sequence.tokens.push_back(TokenOf(id, i));
  ScheduledRequest scheduled{.id = id,
                             .tokens = sequence.tokens,
                             .rows = request.rows,
                             .priority = request.priority,
                             .client = request.client,
                             .arrival_s = now_s_,
                             .max_tokens = request.target - request.prompt};
  if (request.patience_s) scheduled.deadline_s = now_s_ + *request.patience_s;
  scheduler_.Add(std::move(scheduled));
  CheckTotals();
  return id;
}

void SchedulerShadow::Cancel(size_t index, Scheduler::Contents contents) {
  if (live_.empty()) return;
  auto victim = live_.begin();
  std::advance(victim, index % live_.size());
  Finish(victim->first, contents);
}

void SchedulerShadow::Step() {
  const StepPlan& plan = scheduler_.Plan(now_s_);
  FATHOM_CHECK(!plan.stuck);
  ApplyExpired(plan);
  for (const Preemption& preemption : plan.preempted) ApplyPreemption(preemption, plan);
  CheckStage(plan);
  ApplyCopies(plan);
  for (const PlannedSequence& planned : plan.sequences) ApplyPlanned(plan, planned);
  CheckLimits(plan);
  CheckProgress(plan);
  CheckTotals();
  std::vector<RequestId> sampling;
  for (const PlannedSequence& planned : plan.sequences) {
    if (planned.sample) sampling.push_back(planned.id);
  }
  if (plan.wait_until_s) {
    ++steps_that_waited_;
    now_s_ = std::max(now_s_, *plan.wait_until_s);
  }
  if (!plan.empty()) {
    scheduler_.Observe(plan.shape, 0.001 * static_cast<double>(plan.shape.prefill_tokens) +
                                       0.01 * static_cast<double>(plan.shape.decoding));
  }
  for (const RequestId id : sampling) Sampled(id);
  CheckTotals();
}

void SchedulerShadow::Drain() {
  // Among those that run the first ranked does a token a step. Others, of which there are finitely
  // many, may enter before it and make it begin again.
  int64_t tokens = 0;
  for (const auto& [id, sequence] : live_) tokens += sequence.request.target;
  int64_t most_steps = 4 * tokens * (static_cast<int64_t>(live_.size()) + 1);
  while (!live_.empty()) {
    FATHOM_CHECK(most_steps-- > 0);
    now_s_ += 0.01;
    Step();
  }
  FATHOM_CHECK(scheduler_.Plan(now_s_).empty());
  FATHOM_CHECK(scheduler_.held_blocks() == 0);
  FATHOM_CHECK(scheduler_.free_swap_blocks() == config_.swap_blocks);
}

int32_t& SchedulerShadow::Cached(const Sequence& sequence, int64_t position) {
  const int32_t block = sequence.blocks.at(static_cast<size_t>(position / config_.block_tokens));
  return cache_.at(
      static_cast<size_t>(block * config_.block_tokens + position % config_.block_tokens));
}

int64_t SchedulerShadow::Holders(int32_t block) const {
  int64_t holders = 0;
  for (const auto& [id, sequence] : live_) holders += std::ranges::count(sequence.blocks, block);
  return holders;
}

bool SchedulerShadow::RanksBefore(RequestId a, RequestId b) const {
  return std::pair(live_.at(a).rank, a) < std::pair(live_.at(b).rank, b);
}

void SchedulerShadow::ApplyExpired(const StepPlan& plan) {
  for (const RequestId id : plan.expired) {
    const Sequence& sequence = live_.at(id);
    FATHOM_CHECK(sequence.request.patience_s);
    FATHOM_CHECK(sequence.arrival_s + *sequence.request.patience_s <= now_s_);
    live_.erase(id);
  }
  for (const auto& [id, sequence] : live_) {
    if (!sequence.request.patience_s) continue;
    FATHOM_CHECK(sequence.arrival_s + *sequence.request.patience_s > now_s_);
  }
}

void SchedulerShadow::ApplyPreemption(const Preemption& preemption, const StepPlan& plan) {
  Sequence& sequence = live_.at(preemption.id);
  FATHOM_CHECK(sequence.place == Place::kRunning);
  FATHOM_CHECK(preemption.blocks == static_cast<int64_t>(sequence.blocks.size()));
  if (preemption.reason == Preemption::Reason::kBlocks) {
    for (const auto& [id, other] : live_) {
      FATHOM_CHECK(other.place != Place::kRunning || !RanksBefore(preemption.id, id));
    }
  }
  for (const PlannedSequence& planned : plan.sequences) FATHOM_CHECK(planned.id != preemption.id);
  sequence.blocks.clear();
  sequence.place = Place::kReturning;
  sequence.swapped = preemption.swapped;
  if (!preemption.swapped) sequence.computed = 0;
}

void SchedulerShadow::ApplyCopies(const StepPlan& plan) {
  const auto size = static_cast<size_t>(config_.block_tokens);
  const auto block_of = [size](std::vector<int32_t>& store, int32_t block) {
    FATHOM_CHECK(block >= 0 && (static_cast<size_t>(block) + 1) * size <= store.size());
    return std::span(store).subspan(static_cast<size_t>(block) * size, size);
  };
  for (const BlockCopy& copy : plan.copies) {
    const bool from_swap = copy.kind == BlockCopy::Kind::kFromSwap;
    const bool to_swap = copy.kind == BlockCopy::Kind::kToSwap;
    const auto from = block_of(from_swap ? swap_ : cache_, copy.from);
    const auto to = block_of(to_swap ? swap_ : cache_, copy.to);
    FATHOM_CHECK(from_swap || to_swap || copy.from != copy.to);
    // Nobody may see what he holds change: a target is new to whoever gets it.
    if (!to_swap) FATHOM_CHECK(Holders(copy.to) == 0);
    std::ranges::copy(from, to.begin());
  }
}

void SchedulerShadow::ApplyPlanned(const StepPlan& plan, const PlannedSequence& planned) {
  Sequence& sequence = live_.at(planned.id);
  FATHOM_CHECK(planned.count >= 1);
  FATHOM_CHECK(planned.enters == (sequence.place != Place::kRunning));
  if (planned.enters) {
    FATHOM_CHECK(planned.first_token == planned.cached_tokens);
    FATHOM_CHECK(!sequence.swapped || planned.first_token == sequence.computed);
    // Who has not run yet may enter when nobody is left who has.
    if (sequence.place == Place::kNew) CheckNobodyIsOvertaken(plan);
    sequence.computed = planned.first_token;
    sequence.place = Place::kRunning;
    sequence.swapped = false;
  }
  FATHOM_CHECK(planned.first_token == sequence.computed);
  for (const int32_t block : plan.BlocksOf(planned)) sequence.blocks.push_back(block);
  const int64_t end = planned.first_token + planned.count;
  FATHOM_CHECK(end <= static_cast<int64_t>(sequence.tokens.size()));
  FATHOM_CHECK(planned.sample == (end == static_cast<int64_t>(sequence.tokens.size())));
  FATHOM_CHECK(static_cast<int64_t>(sequence.blocks.size()) == CeilDiv(end, config_.block_tokens));
  if (planned.enters) {
    for (int64_t i = 0; i < planned.first_token; ++i) {
      FATHOM_CHECK(Cached(sequence, i) == sequence.tokens[static_cast<size_t>(i)]);
    }
  }
  for (int64_t i = planned.first_token; i < end; ++i) {
    FATHOM_CHECK(Holders(sequence.blocks[static_cast<size_t>(i / config_.block_tokens)]) == 1);
    Cached(sequence, i) = sequence.tokens[static_cast<size_t>(i)];
  }
  sequence.computed = end;
}

void SchedulerShadow::CheckNobodyIsOvertaken(const StepPlan& plan) const {
  for (const auto& [id, other] : live_) {
    if (other.place != Place::kReturning) continue;
    // Who gives way to a request that waited too long for its first token does so on its entry.
    FATHOM_CHECK(std::ranges::any_of(plan.preempted, [&,
                                                      victim = id](const Preemption& preemption) {
      return preemption.id == victim && preemption.reason == Preemption::Reason::kFirstTokenWait;
    }));
  }
}

// Before the step is applied: a sequence that ran or comes back from swap blocks has one token
// left.
bool SchedulerShadow::Decodes(const PlannedSequence& planned) const {
  const Sequence& sequence = live_.at(planned.id);
  return sequence.left() == 1 && (sequence.place == Place::kRunning || sequence.swapped);
}

// What fcfs and mindie promise of a step.
void SchedulerShadow::CheckStage(const StepPlan& plan) const {
  if (config_.policy == Policy::kChunked) return;
  int64_t decoding = 0;
  int64_t prompts = 0;
  int64_t prompt_tokens = 0;
  int64_t entering = 0;
  for (const PlannedSequence& planned : plan.sequences) {
    const bool decodes = Decodes(planned);
    ++(decodes ? decoding : prompts);
    prompt_tokens += decodes ? 0 : planned.count;
    entering += planned.enters && !decodes ? 1 : 0;
  }
  FATHOM_CHECK(decoding == 0 || prompts == 0);
  FATHOM_CHECK(plan.empty() ||
               plan.decision.stage == (prompts > 0 ? Stage::kPrefill : Stage::kDecode));
  if (config_.policy != Policy::kMindie) return;
  FATHOM_CHECK(entering <= config_.mindie.max_prefill_batch_size);
  FATHOM_CHECK(prompt_tokens <= config_.mindie.TokenBudget());
  FATHOM_CHECK(std::ranges::count(plan.preempted, true, &Preemption::swapped) <=
               config_.mindie.max_preempt_count);
}

void SchedulerShadow::CheckLimits(const StepPlan& plan) const {
  int64_t tokens = 0;
  int64_t logit_rows = 0;
  std::set<RequestId> ids;
  for (const PlannedSequence& planned : plan.sequences) {
    FATHOM_CHECK(ids.insert(planned.id).second);
    tokens += planned.count;
    const bool all_rows = live_.at(planned.id).request.rows == LogitRows::kAll;
    logit_rows += all_rows ? planned.count : (planned.sample ? 1 : 0);
  }
  FATHOM_CHECK(tokens <= config_.max_batched_tokens);
  FATHOM_CHECK(logit_rows <= config_.max_logit_rows);
}

void SchedulerShadow::CheckProgress(const StepPlan& plan) const {
  if (plan.wait_until_s) {
    FATHOM_CHECK(plan.empty() && !live_.empty() && *plan.wait_until_s > now_s_);
    return;
  }
  FATHOM_CHECK(plan.empty() == live_.empty());
  if (config_.policy != Policy::kChunked || plan.empty()) return;
  // Whoever runs and ranks first does something.
  const Sequence* first = nullptr;
  RequestId first_id = 0;
  for (const auto& [id, sequence] : live_) {
    if (sequence.place != Place::kRunning) continue;
    if (first != nullptr && RanksBefore(first_id, id)) continue;
    first = &sequence;
    first_id = id;
  }
  FATHOM_CHECK(std::ranges::count(plan.sequences, first_id, &PlannedSequence::id) == 1);
}

void SchedulerShadow::CheckTotals() const {
  std::set<int32_t> held;
  int64_t running = 0;
  int64_t swapped = 0;
  for (const auto& [id, sequence] : live_) {
    running += sequence.place == Place::kRunning ? 1 : 0;
    swapped += sequence.swapped ? 1 : 0;
    held.insert(sequence.blocks.begin(), sequence.blocks.end());
  }
  FATHOM_CHECK(running <= config_.max_sequences);
  FATHOM_CHECK(scheduler_.running() == running);
  FATHOM_CHECK(scheduler_.waiting() == static_cast<int64_t>(live_.size()) - running);
  FATHOM_CHECK(scheduler_.swapped() == swapped);
  FATHOM_CHECK(scheduler_.held_blocks() == static_cast<int64_t>(held.size()));
  FATHOM_CHECK(scheduler_.free_blocks() + scheduler_.held_blocks() + scheduler_.cached_blocks() ==
               config_.blocks);
  FATHOM_CHECK(config_.prefix_cache || scheduler_.cached_blocks() == 0);
}

void SchedulerShadow::Sampled(RequestId id) {
  Sequence& sequence = live_.at(id);
  const auto known = static_cast<int64_t>(sequence.tokens.size());
  if (known == sequence.request.target) {
    Finish(id, Scheduler::Contents::kKeep);
    return;
  }
  sequence.tokens.push_back(TokenOf(id, known));
  scheduler_.Extend(id, sequence.tokens.back());
}

void SchedulerShadow::Finish(RequestId id, Scheduler::Contents contents) {
  live_.erase(id);
  scheduler_.Finish(id, contents);
  CheckTotals();
}

namespace {

// Small numbers from foreign bytes; zeros once they are used up.
class Script {
 public:
  explicit Script(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool done() const { return at_ >= bytes_.size(); }
  int64_t Next(int64_t low, int64_t high) {
    const int64_t byte = done() ? 0 : bytes_[at_++];
    return low + byte % (high - low + 1);
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

SchedulerConfig ConfigFrom(Script& script) {
  SchedulerConfig config;
  config.blocks = script.Next(1, 24);
  config.block_tokens = script.Next(1, 6);
  config.max_batched_tokens = script.Next(1, 24);
  config.max_sequences = script.Next(1, 8);
  config.max_logit_rows = config.max_sequences + script.Next(0, 8);
  config.prefix_cache = script.Next(0, 3) > 0;
  config.swap_blocks = script.Next(0, 2) * script.Next(0, 8);
  config.priority_step_s = static_cast<double>(script.Next(0, 4));
  config.policy = static_cast<Policy>(script.Next(0, 2));
  if (config.policy != Policy::kMindie) return config;
  config.mindie.stage_select_policy = script.Next(0, 2);
  config.mindie.prefill_ms_per_req = script.Next(0, 3) * 50;
  config.mindie.decode_ms_per_req = script.Next(0, 3) * 50;
  config.mindie.max_queue_delay_s = static_cast<double>(script.Next(0, 3)) * 0.004;
  config.mindie.max_prefill_batch_size = script.Next(1, 4);
  config.mindie.max_batch_size = config.max_sequences;
  config.mindie.max_preempt_count = script.Next(0, 2);
  config.mindie.max_first_token_wait_s = static_cast<double>(script.Next(0, 4)) * 0.05;
  config.mindie.dynamic_batch_size = script.Next(0, 1) > 0;
  config.mindie.max_prefill_tokens = script.Next(1, 24);
  config.mindie.max_seq_len = script.Next(1, 24);
  return config;
}

SchedulerShadow::Request RequestFrom(Script& script, int64_t most_tokens) {
  SchedulerShadow::Request request;
  request.target = script.Next(1, most_tokens);
  request.prompt = script.Next(1, request.target);
  const int64_t kind = script.Next(0, 255);
  request.family = static_cast<uint64_t>(kind % 2);
  request.differs_from = script.Next(0, 40);
  if (kind % 5 == 0) request.rows = LogitRows::kAll;
  if (kind % 3 == 0) request.priority = static_cast<int32_t>(script.Next(0, 3)) - 1;
  if (kind % 7 == 0) request.patience_s = static_cast<double>(script.Next(1, 20)) / 10;
  request.client = static_cast<uint64_t>(kind / 64);
  return request;
}

}  // namespace

ScriptCounts PlaySchedulerScript(std::span<const uint8_t> bytes) {
  Script script(bytes);
  const SchedulerConfig config = ConfigFrom(script);
  SchedulerShadow shadow(config);
  for (int requests = 0; !script.done() && requests < 200;) {
    const int64_t operation = script.Next(0, 9);
    if (operation <= 2) {
      shadow.Add(RequestFrom(script, config.blocks * config.block_tokens));
      ++requests;
    } else if (operation == 3) {
      const auto contents =
          script.Next(0, 3) == 0 ? Scheduler::Contents::kForget : Scheduler::Contents::kKeep;
      shadow.Cancel(static_cast<size_t>(script.Next(0, 255)), contents);
    } else {
      if (operation == 4) shadow.Pass(0.1);
      shadow.Step();
    }
  }
  shadow.Drain();
  return {.totals = shadow.scheduler().totals(), .steps_that_waited = shadow.steps_that_waited()};
}

}  // namespace fathom
