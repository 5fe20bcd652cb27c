#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "ops/ceilings.h"
#include "ops/compute.h"
#include "ops/int8_rows.h"
#include "ops/mat_mul.h"
#include "ops/packed_matrix.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

PackedMatrix Int8Weight(int64_t rows, int64_t cols) {
  PackedMatrix weight = PackedMatrix::Int8(rows, cols);
  const std::vector<int8_t> codes(static_cast<size_t>(rows * cols), 0x31);
  weight.PackInt8Rows(0, codes, std::vector<float>(static_cast<size_t>(rows), 0.01F));
  return weight;
}

PackedMatrix Weight(DType dtype, int64_t rows, int64_t cols) {
  if (dtype == DType::kI8) return Int8Weight(rows, cols);
  const std::vector<float> scales(static_cast<size_t>((rows + 127) / 128 * ((cols + 127) / 128)),
                                  0.01F);
  PackedMatrix weight(dtype, rows, cols, dtype == DType::kF8E4M3 ? scales : std::vector<float>());
  const std::vector<std::byte> codes(static_cast<size_t>(rows * cols * DTypeBytes(dtype)),
                                     std::byte{0x31});
  weight.PackRows(0, codes);
  return weight;
}

// range(0): dtype, range(1): tokens, range(2): 1 for bfloat16 activations, range(3):
// threads.
// 256 MiB of weights, so that no cache holds them; each round is followed by a read of as many
// plain bytes, and the counter "of_read" is the ratio of the two speeds.
void Decode(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const int64_t rows = (int64_t{1} << 28) / 7168 / DTypeBytes(dtype);
  const PackedMatrix weight = Weight(dtype, rows, 7168);
  Matrix<float> x(state.range(1), 7168);
  for (int64_t i = 0; i < x.rows() * 7168; ++i) x.data()[i] = 1;
  Matrix<float> out(state.range(1), rows);
  ThreadPool pool(static_cast<int>(state.range(3)));
  Int8Rows int8_rows;
  const Compute compute = {
      .pool = &pool,
      .isa = *ChooseIsa(""),
      .activations = state.range(2) != 0 ? Activations::kBfloat16 : Activations::kFloat32,
      .int8_rows = &int8_rows};
  const MatMulTask task = {.x = x.view(), .weight = &weight, .out = out.view()};
  ReadCeiling ceiling(pool);
  double best = 1e9;
  double best_read = 1e9;
  for ([[maybe_unused]] auto _ : state) {
    best = std::min(best, SecondsOf(pool, [&] { MatMul(compute, {&task, 1}); }));
    best_read = std::min(best_read, ceiling.Seconds());
  }
  const double speed = static_cast<double>(weight.bytes()) / best;
  state.counters["GB/s"] = speed * 1e-9;
  state.counters["of_read"] = speed / (ceiling.bytes() / best_read);
  state.SetLabel(std::string(DTypeName(dtype)) + " " + std::string(IsaName(compute.isa)));
}

// The products of a DeepSeek-R1 layer.
struct ProductShape {
  const char* name;
  int64_t rows, cols;
};
constexpr ProductShape kR1Shapes[] = {
    {"q_a", 1536, 7168},
    {"q_b", 24576, 1536},
    {"kv_a", 576, 7168},
    {"o", 7168, 16384},
    {"expert gate or up", 2048, 7168},
    {"expert down", 7168, 2048},
};

// range(0): dtype, range(1): tokens, range(2): index of the shape. On all threads.
void R1Product(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const ProductShape& shape = kR1Shapes[state.range(2)];
  const PackedMatrix weight = Weight(dtype, shape.rows, shape.cols);
  Matrix<float> x(state.range(1), shape.cols);
  std::fill_n(x.data(), x.rows() * x.cols(), 1.0F);
  Matrix<float> out(state.range(1), shape.rows);
  ThreadPool pool(ThreadPool::AvailableCpus());
  Int8Rows int8_rows;
  const Compute compute = {.pool = &pool, .isa = *ChooseIsa(""), .int8_rows = &int8_rows};
  const MatMulTask task = {.x = x.view(), .weight = &weight, .out = out.view()};
  const PeakOf peak_of = dtype == DType::kI8 ? PeakOf::kInt8Weights : PeakOf::kFloatWeights;
  double best = 1e9;
  double peak = 0;
  for ([[maybe_unused]] auto _ : state) {
    best = std::min(best, SecondsOf(pool, [&] { MatMul(compute, {&task, 1}); }));
    peak = std::max(peak, PeakOperations(compute, peak_of));
  }
  const double operations = 2.0 * static_cast<double>(x.rows() * shape.rows * shape.cols);
  state.counters["Gop/s"] = operations / best * 1e-9;
  state.counters["of_peak"] = operations / best / peak;
  state.SetLabel(std::string(shape.name) + " " + std::string(DTypeName(dtype)));
}

void Prefill(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const int64_t rows = 1024;
  const int64_t cols = 4096;
  const PackedMatrix weight = Weight(dtype, rows, cols);
  Matrix<float> x(state.range(1), cols);
  for (int64_t i = 0; i < x.rows() * cols; ++i) x.data()[i] = 1;
  Matrix<float> out(state.range(1), rows);
  ThreadPool pool(static_cast<int>(state.range(3)));
  Int8Rows int8_rows;
  const Compute compute = {
      .pool = &pool,
      .isa = *ChooseIsa(""),
      .activations = state.range(2) != 0 ? Activations::kBfloat16 : Activations::kFloat32,
      .int8_rows = &int8_rows};
  const MatMulTask task = {.x = x.view(), .weight = &weight, .out = out.view()};
  double best = 1e9;
  double peak = 0;
  const PeakOf peak_of = dtype == DType::kI8 ? PeakOf::kInt8Weights : PeakOf::kFloatWeights;
  for ([[maybe_unused]] auto _ : state) {
    best = std::min(best, SecondsOf(pool, [&] { MatMul(compute, {&task, 1}); }));
    peak = std::max(peak, PeakOperations(compute, peak_of));
  }
  const double speed = 2.0 * static_cast<double>(x.rows() * rows * cols) / best;
  state.counters["GFLOP/s"] = speed * 1e-9;
  state.counters["of_peak"] = speed / peak;
  state.SetLabel(std::string(DTypeName(dtype)) + " " + std::string(IsaName(compute.isa)));
}

constexpr int64_t kF32 = static_cast<int64_t>(DType::kF32);
constexpr int64_t kF16 = static_cast<int64_t>(DType::kF16);
constexpr int64_t kBF16 = static_cast<int64_t>(DType::kBF16);
constexpr int64_t kI8 = static_cast<int64_t>(DType::kI8);
constexpr int64_t kF8 = static_cast<int64_t>(DType::kF8E4M3);

void Arguments(benchmark::internal::Benchmark* bench, const std::vector<int64_t>& dtypes,
               const std::vector<int64_t>& tokens) {
  const int64_t all = ThreadPool::AvailableCpus();
  const bool pairs = IsaAvailable(Isa::kAvx512);  // the only one that treats bfloat16 differently
  bench->ArgNames({"dtype", "tokens", "bf16", "threads"})->Unit(benchmark::kMillisecond);
  for (const int64_t dtype : dtypes) {
    for (const int64_t count : tokens) {
      for (int64_t bf16 = 0; bf16 <= (pairs ? 1 : 0); ++bf16) {
        bench->Args({dtype, count, bf16, 1});
        if (all > 1) bench->Args({dtype, count, bf16, all});
      }
    }
  }
}

void DecodeArguments(benchmark::internal::Benchmark* bench) {
  Arguments(bench, {kI8, kF8, kBF16, kF16, kF32}, {1, 2, 4});
}
void PrefillArguments(benchmark::internal::Benchmark* bench) {
  Arguments(bench, {kI8, kF8, kBF16}, {5, 16, 64, 512});
}

BENCHMARK(R1Product)
    ->ArgNames({"dtype", "tokens", "shape"})
    ->ArgsProduct({{kI8, kF8, kBF16}, {1, 8, 512}, {0, 1, 2, 3, 4, 5}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Decode)->Apply(DecodeArguments);
BENCHMARK(Prefill)->Apply(PrefillArguments);

}  // namespace
}  // namespace fathom
