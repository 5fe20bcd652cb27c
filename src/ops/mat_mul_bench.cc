#include "ops/mat_mul.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/thread_pool.h"
#include "ops/compute.h"
#include "ops/packed_matrix.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

double SecondsOf(const auto& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Reads memory on all threads as fast as a plain loop can, in bytes a second: the ceiling of a
// product with one token.
class ReadCeiling {
 public:
  explicit ReadCeiling(ThreadPool& pool) : pool_(pool), memory_(kBytes / 8, 1) {}

  double Seconds() {
    constexpr int64_t kItems = 64;
    std::vector<uint64_t> sums(kItems);
    return SecondsOf([&] {
      pool_.ParallelFor(kItems, [&](int64_t item, int /*thread*/) {
        const auto count = static_cast<int64_t>(memory_.size()) / kItems;
        sums[static_cast<size_t>(item)] = Sum(memory_.data() + item * count, count);
      });
      benchmark::DoNotOptimize(sums.data());
    });
  }
  double bytes() const { return static_cast<double>(kBytes); }

 private:
  static constexpr size_t kBytes = size_t{1} << 28;
  // In sixteen sums, so that the loop waits for nothing but memory.
  static uint64_t Sum(const uint64_t* data, int64_t count) {
    using Words = uint64_t __attribute__((vector_size(32)));
    Words sums[4] = {};
    for (int64_t i = 0; i < count; i += 16) {
      for (int j = 0; j < 4; ++j) {
        Words words;
        std::memcpy(&words, data + i + 4 * j, sizeof(words));
        sums[j] += words;
      }
    }
    const Words all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return all[0] + all[1] + all[2] + all[3];
  }
  ThreadPool& pool_;
  std::vector<uint64_t> memory_;
};

PackedMatrix Weight(DType dtype, int64_t rows, int64_t cols) {
  const std::vector<float> scales(static_cast<size_t>((rows + 127) / 128 * ((cols + 127) / 128)),
                                  0.01F);
  PackedMatrix weight(dtype, rows, cols, dtype == DType::kF8E4M3 ? scales : std::vector<float>());
  const std::vector<std::byte> codes(static_cast<size_t>(rows * cols * DTypeBytes(dtype)),
                                     std::byte{0x31});
  if (!weight.PackRows(0, codes)) std::abort();
  return weight;
}

// range(0): dtype, range(1): tokens, range(2): 1 for bfloat16 activations.
// 256 MiB of weights, so that no cache holds them; each round is followed by a read of as many plain
// bytes, and the counter "of_read" is the ratio of the two speeds.
void Decode(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const int64_t rows = (int64_t{1} << 28) / 7168 / DTypeBytes(dtype);
  const PackedMatrix weight = Weight(dtype, rows, 7168);
  Matrix<float> x(state.range(1), 7168);
  for (int64_t i = 0; i < x.rows() * 7168; ++i) x.data()[i] = 1;
  Matrix<float> out(state.range(1), rows);
  ThreadPool pool(ThreadPool::AvailableCpus());
  const Compute compute = {
      .pool = &pool,
      .isa = *ChooseIsa(""),
      .activations = state.range(2) != 0 ? Activations::kBfloat16 : Activations::kFloat32};
  const MatMulTask task = {.x = x.view(), .weight = &weight, .out = out.view()};
  ReadCeiling ceiling(pool);
  double best = 1e9;
  double best_read = 1e9;
  for ([[maybe_unused]] auto _ : state) {
    best = std::min(best, SecondsOf([&] { MatMul(compute, {&task, 1}); }));
    best_read = std::min(best_read, ceiling.Seconds());
  }
  const double speed = static_cast<double>(weight.bytes()) / best;
  state.counters["GB/s"] = speed * 1e-9;
  state.counters["of_read"] = speed / (ceiling.bytes() / best_read);
  state.SetLabel(std::string(DTypeName(dtype)) + " " + std::string(IsaName(compute.isa)));
}

// A fused multiply-add loop that touches registers only, on all threads: the ceiling of a product
// with many tokens.
double PeakFlops(const Compute& compute) {
  // A product small enough for the first-level cache is the plainest loop that every instruction
  // set has; it still pays for its loads, so it is a little below the true peak.
  constexpr int64_t kTokens = 96;
  const PackedMatrix weight = Weight(DType::kF32, 16, 128);
  Matrix<float> x(kTokens, 128);
  for (int64_t i = 0; i < kTokens * 128; ++i) x.data()[i] = 1;
  std::vector<Matrix<float>> outs;
  std::vector<MatMulTask> tasks;
  for (int i = 0; i < 64; ++i) outs.emplace_back(kTokens, 16);
  for (Matrix<float>& out : outs) {
    tasks.push_back({.x = x.view(), .weight = &weight, .out = out.view()});
  }
  double best = 1e9;
  for (int i = 0; i < 50; ++i) best = std::min(best, SecondsOf([&] { MatMul(compute, tasks); }));
  return 64 * kTokens * 128 * 16 * 2 / best;
}

void Prefill(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const int64_t rows = 1024;
  const int64_t cols = 4096;
  const PackedMatrix weight = Weight(dtype, rows, cols);
  Matrix<float> x(state.range(1), cols);
  for (int64_t i = 0; i < x.rows() * cols; ++i) x.data()[i] = 1;
  Matrix<float> out(state.range(1), rows);
  ThreadPool pool(ThreadPool::AvailableCpus());
  const Compute compute = {
      .pool = &pool,
      .isa = *ChooseIsa(""),
      .activations = state.range(2) != 0 ? Activations::kBfloat16 : Activations::kFloat32};
  const MatMulTask task = {.x = x.view(), .weight = &weight, .out = out.view()};
  double best = 1e9;
  double peak = 0;
  for ([[maybe_unused]] auto _ : state) {
    best = std::min(best, SecondsOf([&] { MatMul(compute, {&task, 1}); }));
    peak = std::max(peak, PeakFlops(compute));
  }
  const double speed = 2.0 * static_cast<double>(x.rows() * rows * cols) / best;
  state.counters["GFLOP/s"] = speed * 1e-9;
  state.counters["of_peak"] = speed / peak;
  state.SetLabel(std::string(DTypeName(dtype)) + " " + std::string(IsaName(compute.isa)));
}

constexpr int64_t kF32 = static_cast<int64_t>(DType::kF32);
constexpr int64_t kF16 = static_cast<int64_t>(DType::kF16);
constexpr int64_t kBF16 = static_cast<int64_t>(DType::kBF16);
constexpr int64_t kF8 = static_cast<int64_t>(DType::kF8E4M3);

BENCHMARK(Decode)
    ->ArgNames({"dtype", "tokens", "bf16"})
    ->ArgsProduct({{kF8, kBF16, kF16, kF32}, {1}, {0}})
    ->Args({kF8, 2, 0})
    ->Args({kF8, 4, 0})
    ->Args({kBF16, 4, 0})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Prefill)
    ->ArgNames({"dtype", "tokens", "bf16"})
    ->ArgsProduct({{kF8, kBF16}, {5, 16, 64, 512}, {0}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fathom
