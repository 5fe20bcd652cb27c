// What choosing one token costs over DeepSeek-V3's vocabulary. The floor is one pass over the
// logits: 129,280 floats are 505 KiB, about 0.05 ms at 10 GB/s.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "engine/sampler.h"
#include "engine/sampling_params.h"

namespace fathom {
namespace {

constexpr int kVocab = 129280;

// Normal with a deviation of 3, and one token in a thousand raised by 12: as a trained model's.
std::vector<float> TypicalLogits() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> logits(kVocab);
  for (float& logit : logits) logit = normal(random) + (random() % 1000 == 0 ? 12.0F : 0.0F);
  return logits;
}

void Run(benchmark::State& state, const SamplingParams& params) {
  const std::vector<float> logits = TypicalLogits();
  TokenHistory history;
  for (int32_t token = 0; token < 2000; ++token) history.AddAnswer(token * 7);
  Sampler sampler;
  uint64_t index = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(sampler.Sample(logits, params, history, UniformAt(1, index++)));
  }
}

void BM_Greedy(benchmark::State& state) { Run(state, {.temperature = 0}); }
void BM_Plain(benchmark::State& state) { Run(state, {}); }
void BmTopP95At06(benchmark::State& state) { Run(state, {.temperature = 0.6, .top_p = 0.95}); }
void BmTopK50(benchmark::State& state) { Run(state, {.top_k = 50}); }
void BmTopP999(benchmark::State& state) { Run(state, {.top_p = 0.999}); }
void BM_GreedyWithPenalties(benchmark::State& state) {
  Run(state, {.temperature = 0, .repetition_penalty = 1.1});
}
BENCHMARK(BM_Greedy)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Plain)->Unit(benchmark::kMicrosecond);
BENCHMARK(BmTopP95At06)->Unit(benchmark::kMicrosecond);
BENCHMARK(BmTopK50)->Unit(benchmark::kMicrosecond);
BENCHMARK(BmTopP999)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_GreedyWithPenalties)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fathom
