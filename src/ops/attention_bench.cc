#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "ops/attention.h"
#include "ops/ceilings.h"
#include "ops/compute.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

struct HeadShape {
  int64_t heads;
  int64_t key_dim;
  int64_t value_dim;
  int64_t value_offset;
  int64_t row_width;
};
// DeepSeek-R1's latent attention; one group of seven heads of Qwen2-7B; latent attention with few
// heads.
constexpr HeadShape kShapes[] = {
    {128, 576, 512, 0, 576}, {7, 128, 128, 128, 256}, {8, 576, 512, 0, 576}};

enum class Tokens {
  kOfMany,  // each of a sequence of its own
  kOfOne,   // consecutive ones of one sequence, the last of which sees the whole context
};

// range: index of the shape, context, tokens, threads. Counter "of_peak": operations a second as a
// share of what multiply-adds in registers reach.
void Measure(benchmark::State& state, Tokens kind) {
  const HeadShape& shape = kShapes[state.range(0)];
  const int64_t context = state.range(1);
  const int64_t tokens = state.range(2);
  std::vector<int32_t> blocks;
  for (int64_t i = 0; i * 64 < context; ++i) blocks.push_back(static_cast<int32_t>(i));
  const std::vector<std::byte> cache(blocks.size() * 64 * static_cast<size_t>(shape.row_width) * 2,
                                     std::byte{0x3C});
  Matrix<float> q(tokens * shape.heads, shape.key_dim);
  std::fill_n(q.data(), q.rows() * q.cols(), 0.01F);
  Matrix<float> out(tokens * shape.heads, shape.value_dim);
  std::vector<AttentionTask> tasks;
  tasks.reserve(static_cast<size_t>(tokens));
  for (int64_t t = 0; t < tokens; ++t) {
    tasks.push_back({.q = q.view().Rows(t * shape.heads, shape.heads),
                     .kv = {.base = cache.data(),
                            .dtype = DType::kBF16,
                            .row_width = shape.row_width,
                            .block_tokens = 64,
                            .blocks = blocks},
                     .value_offset = shape.value_offset,
                     .context = kind == Tokens::kOfOne ? context - tokens + 1 + t : context,
                     .out = out.view().Rows(t * shape.heads, shape.heads)});
  }
  ThreadPool pool(static_cast<int>(state.range(3)));
  const Compute compute = {.pool = &pool, .isa = *ChooseIsa("")};
  AttentionBuffers buffers;
  double best = 1e9;
  double peak = 0;
  for ([[maybe_unused]] auto _ : state) {
    best = std::min(best, SecondsOf(pool, [&] { Attention(compute, 0.1F, tasks, buffers); }));
    peak = std::max(peak, PeakOperations(compute));
  }
  const double operations =
      2.0 * static_cast<double>(tokens * shape.heads * context * (shape.key_dim + shape.value_dim));
  state.counters["GFLOP/s"] = operations / best * 1e-9;
  state.counters["of_peak"] = operations / best / peak;
  state.SetLabel(std::string(IsaName(compute.isa)));
}

void Decode(benchmark::State& state) { Measure(state, Tokens::kOfMany); }
void Prefill(benchmark::State& state) { Measure(state, Tokens::kOfOne); }

BENCHMARK(Prefill)
    ->Name("AttentionPrefill")
    ->ArgNames({"shape", "context", "tokens", "threads"})
    ->ArgsProduct({{0, 1, 2}, {2048}, {64}, {1, 2}})
    ->Unit(benchmark::kMillisecond);

BENCHMARK(Decode)
    ->Name("AttentionDecode")
    ->ArgNames({"shape", "context", "tokens", "threads"})
    ->ArgsProduct({{0, 1}, {512, 8192}, {1, 4}, {1, 2}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fathom
