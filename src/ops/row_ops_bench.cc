// Operators that pass once over activations, in DeepSeek-R1's shapes, on one thread. Counter GB/s:
// what they read and write in a second, for comparison with the memory's and the caches' rates.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "ops/compute.h"
#include "ops/elementwise.h"
#include "ops/int8_rows.h"
#include "ops/rms_norm.h"
#include "ops/rope.h"
#include "ops/router.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

constexpr int64_t kHidden = 7168;
constexpr int64_t kExpertWidth = 2048;
constexpr int64_t kHeads = 128;
constexpr int64_t kRopeDim = 64;

Matrix<float> Rows(int64_t rows, int64_t cols) {
  Matrix<float> x(rows, cols);
  for (int64_t i = 0; i < rows * cols; ++i) x.data()[i] = static_cast<float>(i % 251) * 0.01F - 1;
  return x;
}

struct Machine {
  ThreadPool pool{1};
  Compute compute{.pool = &pool, .isa = *ChooseIsa(""), .activations = Activations::kBfloat16};
};

// range(0): tokens, in all.
void SetRate(benchmark::State& state, int64_t bytes_a_token) {
  state.counters["GB/s"] =
      benchmark::Counter(static_cast<double>(bytes_a_token * state.range(0)) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate);
}

void Norm(benchmark::State& state) {
  const Machine machine;
  const Matrix<float> x = Rows(state.range(0), kHidden);
  Matrix<float> out(x.rows(), kHidden);
  const std::vector<float> weight(kHidden, 1.0F);
  for (auto _ : state) RmsNorm(machine.compute, x.view(), weight, 1e-6, out.view());
  SetRate(state, 2 * 4 * kHidden);
}

void Rounding(benchmark::State& state) {
  const Machine machine;
  Matrix<float> x = Rows(state.range(0), kHidden);
  for (auto _ : state) RoundActivations(machine.compute, x.view());
  SetRate(state, 2 * 4 * kHidden);
}

void Quantizing(benchmark::State& state) {
  const Matrix<float> x = Rows(state.range(0), kHidden);
  std::vector<int8_t> codes(kHidden);
  for (auto _ : state) {
    for (int64_t t = 0; t < x.rows(); ++t) benchmark::DoNotOptimize(QuantizeRow(x[t], codes));
  }
  SetRate(state, 5 * kHidden);
}

void Silu(benchmark::State& state) {
  const Machine machine;
  const Matrix<float> gate = Rows(state.range(0), kExpertWidth);
  const Matrix<float> up = Rows(state.range(0), kExpertWidth);
  Matrix<float> out(gate.rows(), kExpertWidth);
  for (auto _ : state) SiluMul(machine.compute, gate.view(), up.view(), out.view());
  SetRate(state, 3 * 4 * kExpertWidth);
}

// The heads of a token's queries.
void Rope(benchmark::State& state) {
  Matrix<float> q = Rows(state.range(0) * kHeads, kRopeDim);
  const std::vector<float> cos(kRopeDim / 2, 0.8F);
  const std::vector<float> sin(kRopeDim / 2, 0.6F);
  for (auto _ : state) {
    for (int64_t row = 0; row < q.rows(); ++row) ApplyRope(cos, sin, true, q[row]);
  }
  SetRate(state, 2 * 4 * kHeads * kRopeDim);
}

// 8 of 256 experts, in 4 of 8 groups.
void Router(benchmark::State& state) {
  const RouterRule rule = {.group_score = RouterRule::Groups::kTopTwoSum,
                           .groups = 8,
                           .top_groups = 4,
                           .normalize = true,
                           .scale = 2.5};
  const Matrix<float> logits = Rows(state.range(0), 256);
  const std::vector<float> bias(256, 0.1F);
  Matrix<int32_t> experts(logits.rows(), 8);
  Matrix<float> weights(logits.rows(), 8);
  RouterBuffers buffers(256);
  for (auto _ : state) {
    Route(rule, logits.view(), bias, experts.view(), weights.view(), buffers);
  }
  SetRate(state, 4 * 256);
}

BENCHMARK(Norm)->ArgName("tokens")->Arg(1)->Arg(512)->Unit(benchmark::kMicrosecond);
BENCHMARK(Rounding)->ArgName("tokens")->Arg(1)->Arg(512)->Unit(benchmark::kMicrosecond);
BENCHMARK(Quantizing)->ArgName("tokens")->Arg(1)->Arg(512)->Unit(benchmark::kMicrosecond);
BENCHMARK(Silu)->ArgName("tokens")->Arg(1)->Arg(512)->Unit(benchmark::kMicrosecond);
BENCHMARK(Rope)->ArgName("tokens")->Arg(1)->Arg(512)->Unit(benchmark::kMicrosecond);
BENCHMARK(Router)->ArgName("tokens")->Arg(1)->Arg(512)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fathom
