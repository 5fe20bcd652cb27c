#include "ops/mat_mul.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "ops/compute.h"
#include "ops/packed_matrix.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

constexpr int kRounds = 1 << 20;

double Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The time of body(): of the clock on the wall, or with one thread of its own processor time, which
// a busy neighbour does not lengthen.
double SecondsOf(const ThreadPool& pool, const auto& body) {
  const clockid_t clock = pool.threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const double begin = Now(clock);
  body();
  return Now(clock) - begin;
}

// Reads memory on all threads as fast as a plain loop can, in bytes a second: the ceiling of a
// product with one token.
class ReadCeiling {
 public:
  explicit ReadCeiling(ThreadPool& pool) : pool_(pool), memory_(kBytes / 8, 1) {}

  double Seconds() {
    constexpr int64_t kItems = 64;
    std::vector<uint64_t> sums(kItems);
    return SecondsOf(pool_, [&] {
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
  // Four streams at once, each in its own sums, so that the loop waits for nothing but memory.
  static uint64_t Sum(const uint64_t* data, int64_t count) {
    using Words = uint64_t __attribute__((vector_size(32)));
    Words sums[8] = {};
    for (int64_t i = 0; i < count / 4; i += 8) {
      for (int j = 0; j < 8; ++j) {
        Words words;
        std::memcpy(&words, data + j / 2 * (count / 4) + i + j % 2 * 4, sizeof(words));
        sums[j] += words;
      }
    }
    for (int j = 1; j < 8; ++j) sums[0] += sums[j];
    return sums[0][0] + sums[0][1] + sums[0][2] + sums[0][3];
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

// range(0): dtype, range(1): tokens, range(2): 1 for bfloat16 activations, range(3):
// threads.
// 256 MiB of weights, so that no cache holds them; each round is followed by a read of as many plain
// bytes, and the counter "of_read" is the ratio of the two speeds.
void Decode(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const int64_t rows = (int64_t{1} << 28) / 7168 / DTypeBytes(dtype);
  const PackedMatrix weight = Weight(dtype, rows, 7168);
  Matrix<float> x(state.range(1), 7168);
  for (int64_t i = 0; i < x.rows() * 7168; ++i) x.data()[i] = 1;
  Matrix<float> out(state.range(1), rows);
  ThreadPool pool(static_cast<int>(state.range(3)));
  const Compute compute = {
      .pool = &pool,
      .isa = *ChooseIsa(""),
      .activations = state.range(2) != 0 ? Activations::kBfloat16 : Activations::kFloat32};
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

// Twelve independent chains of one instruction on registers of one width.
#define FATHOM_CHAINS(op, r)                                                                  \
  op " %%" r "0,%%" r "1,%%" r "2\n" op " %%" r "0,%%" r "1,%%" r "3\n" op " %%" r "0,%%" r  \
     "1,%%" r "4\n" op " %%" r "0,%%" r "1,%%" r "5\n" op " %%" r "0,%%" r "1,%%" r "6\n" op \
     " %%" r "0,%%" r "1,%%" r "7\n" op " %%" r "0,%%" r "1,%%" r "8\n" op " %%" r "0,%%" r   \
     "1,%%" r "9\n" op " %%" r "0,%%" r "1,%%" r "10\n" op " %%" r "0,%%" r "1,%%" r "11\n" op \
     " %%" r "0,%%" r "1,%%" r "12\n" op " %%" r "0,%%" r "1,%%" r "13\n"
#define FATHOM_CLOBBERS                                                                        \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",     \
      "xmm11", "xmm12", "xmm13"

// Floating-point operations of one run of the chains.
double RunChains(Isa isa, bool pairs) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) {
    asm volatile("vzeroall\n" ::: FATHOM_CLOBBERS);
    for (int i = 0; i < kRounds; ++i) {
      asm volatile(FATHOM_CHAINS("vfmadd231ps", "ymm")::: FATHOM_CLOBBERS);
    }
    return kRounds * 12 * 8 * 2;
  }
  if (isa == Isa::kAvx512 && pairs) {
    for (int i = 0; i < kRounds; ++i) {
      asm volatile(FATHOM_CHAINS("vdpbf16ps", "zmm")::: FATHOM_CLOBBERS);
    }
    return kRounds * 12 * 32 * 2;
  }
  if (isa == Isa::kAvx512) {
    for (int i = 0; i < kRounds; ++i) {
      asm volatile(FATHOM_CHAINS("vfmadd231ps", "zmm")::: FATHOM_CLOBBERS);
    }
    return kRounds * 12 * 16 * 2;
  }
#endif
  (void)isa;
  (void)pairs;
  return 0;  // not known for the portable kernels
}

// Multiply-adds in registers on all threads, in operations a second: the ceiling of a product with
// many tokens.
double PeakFlops(const Compute& compute) {
  const bool pairs = compute.activations == Activations::kBfloat16;
  const int threads = compute.pool->threads();
  std::vector<double> operations(static_cast<size_t>(threads));
  const double seconds = SecondsOf(*compute.pool, [&] {
    compute.pool->ParallelFor(threads, [&](int64_t item, int /*thread*/) {
      operations[static_cast<size_t>(item)] = RunChains(compute.isa, pairs);
    });
  });
  return operations[0] * threads / seconds;
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
  const Compute compute = {
      .pool = &pool,
      .isa = *ChooseIsa(""),
      .activations = state.range(2) != 0 ? Activations::kBfloat16 : Activations::kFloat32};
  const MatMulTask task = {.x = x.view(), .weight = &weight, .out = out.view()};
  double best = 1e9;
  double peak = 0;
  for ([[maybe_unused]] auto _ : state) {
    best = std::min(best, SecondsOf(pool, [&] { MatMul(compute, {&task, 1}); }));
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
  Arguments(bench, {kF8, kBF16, kF16, kF32}, {1, 2, 4});
}
void PrefillArguments(benchmark::internal::Benchmark* bench) {
  Arguments(bench, {kF8, kBF16}, {5, 16, 64, 512});
}

BENCHMARK(Decode)->Apply(DecodeArguments);
BENCHMARK(Prefill)->Apply(PrefillArguments);

}  // namespace
}  // namespace fathom
