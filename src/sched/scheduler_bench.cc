// Aim: 200 microseconds a Plan and its application at 4096 sequences that decode. Ceiling: each
// sequence's state and plan, about 200 bytes, is read and written twice, by Plan and by Extend: 1.6
// MB, from the second-level cache about 40 microseconds.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/request.h"
#include "sched/scheduler.h"
#include "sched/scheduler_config.h"
#include "sched/step_plan.h"

namespace fathom {
namespace {

SchedulerConfig Config(int64_t sequences, Policy policy) {
  SchedulerConfig config;
  config.blocks = sequences * 80;
  config.max_batched_tokens = 8192;
  config.max_sequences = sequences;
  config.max_logit_rows = sequences;
  config.policy = policy;
  return config;
}

// A sequence of 64 to 79 tokens that agrees with others in the first 32, so that not all fill a
// block in the same step.
void Add(Scheduler& scheduler, RequestId id) {
  std::vector<int32_t> tokens(static_cast<size_t>(64 + id % 16));
  for (size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = static_cast<int32_t>(i < 32 ? i : i + static_cast<size_t>(id) * 7);
  }
  scheduler.Add({.id = id, .tokens = tokens, .max_tokens = 1000});
}

void Apply(Scheduler& scheduler, const StepPlan& plan, RequestId& next_id) {
  for (const PlannedSequence& planned : plan.sequences) {
    if (!planned.sample) continue;
    if (planned.first_token >= 500 + planned.id * 37 % 500) {
      scheduler.Finish(planned.id);
      Add(scheduler, next_id++);
    } else {
      scheduler.Extend(planned.id, static_cast<int32_t>(planned.id & 1023));
    }
  }
}

// Steps in which all sequences decode; one that reaches its 500 to 1000 tokens is followed by
// another, some in each step.
void BM_DecodeStep(benchmark::State& state, Policy policy) {
  const int64_t sequences = state.range(0);
  Scheduler scheduler(Config(sequences, policy));
  RequestId next_id = 0;
  for (int64_t i = 0; i < sequences; ++i) Add(scheduler, next_id++);
  double now_s = 1;
  while (scheduler.waiting() > 0) Apply(scheduler, scheduler.Plan(now_s += 0.01), next_id);
  for (auto _ : state) {
    now_s += 0.01;
    Apply(scheduler, scheduler.Plan(now_s), next_id);
  }
  state.SetItemsProcessed(state.iterations() * sequences);
}
BENCHMARK_CAPTURE(BM_DecodeStep, chunked, Policy::kChunked)->Arg(1)->Arg(256)->Arg(4096);
BENCHMARK_CAPTURE(BM_DecodeStep, fcfs, Policy::kFcfs)->Arg(4096);
BENCHMARK_CAPTURE(BM_DecodeStep, mindie, Policy::kMindie)->Arg(4096);

// Enter, compute and leave: what a request costs beside its decode steps.
void BM_RequestOfOneToken(benchmark::State& state) {
  Scheduler scheduler(Config(64, Policy::kChunked));
  RequestId id = 0;
  for (auto _ : state) {
    Add(scheduler, id);
    benchmark::DoNotOptimize(scheduler.Plan(0));
    scheduler.Finish(id++);
  }
}
BENCHMARK(BM_RequestOfOneToken);

}  // namespace
}  // namespace fathom
