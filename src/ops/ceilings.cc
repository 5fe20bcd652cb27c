#include "ops/ceilings.h"

#include <time.h>

#include <cstdint>
#include <cstring>
#include <ctime>
#include <functional>
#include <vector>

#include "base/thread_pool.h"
#include "ops/compute.h"
#include "ops/register_tile.h"

namespace fathom {
namespace {

constexpr int kRounds = 1 << 18;

double Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Four streams at once, each in sums of its own that stay in registers, so that the loop waits for
// nothing but memory.
uint64_t Sum(const uint64_t* data, int64_t count) {
  using Words = uint64_t __attribute__((vector_size(16)));
  Words sums[8] = {};
  const int64_t stream = count / 4;
  for (int64_t i = 0; i < stream; i += 4) {
    Unroll<8>([&](auto j) FATHOM_INLINE {
      Words words;
      std::memcpy(&words, data + j.value / 2 * stream + i + j.value % 2 * 2, sizeof(words));
      sums[j.value] += words;
    });
  }
  Unroll<8>([&](auto j) FATHOM_INLINE {
    if constexpr (j.value > 0) sums[0] += sums[j.value];
  });
  return sums[0][0] + sums[0][1];
}

// Twelve independent chains of one instruction on registers of one width.
#define FATHOM_CHAINS(op, r)                                                                   \
  op " %%" r "0,%%" r "1,%%" r "2\n" op " %%" r "0,%%" r "1,%%" r "3\n" op " %%" r "0,%%" r    \
     "1,%%" r "4\n" op " %%" r "0,%%" r "1,%%" r "5\n" op " %%" r "0,%%" r "1,%%" r "6\n" op   \
     " %%" r "0,%%" r "1,%%" r "7\n" op " %%" r "0,%%" r "1,%%" r "8\n" op " %%" r "0,%%" r    \
     "1,%%" r "9\n" op " %%" r "0,%%" r "1,%%" r "10\n" op " %%" r "0,%%" r "1,%%" r "11\n" op \
     " %%" r "0,%%" r "1,%%" r "12\n" op " %%" r "0,%%" r "1,%%" r "13\n"
#define FATHOM_CLOBBERS                                                                    \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13"

// Operations of one run of an instruction's chains.
#define FATHOM_RUN_CHAINS(op, r, operations)               \
  for (int i = 0; i < kRounds; ++i) {                      \
    asm volatile(FATHOM_CHAINS(op, r)::: FATHOM_CLOBBERS); \
  }                                                        \
  return static_cast<double>(kRounds) * 12 * (operations)

double RunChains(Isa isa, bool pairs, PeakOf what) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) {
    asm volatile("vzeroall\n" ::: FATHOM_CLOBBERS);
    if (what == PeakOf::kInt8Weights) {
      // What a product needs: the multiplication of pairs, and its addition to a sum.
      for (int i = 0; i < kRounds; ++i) {
        asm volatile(FATHOM_CHAINS("vpmaddwd", "ymm") FATHOM_CHAINS("vpaddd", "ymm")::
                         : FATHOM_CLOBBERS);
      }
      return static_cast<double>(kRounds) * 12 * 32;
    }
    FATHOM_RUN_CHAINS("vfmadd231ps", "ymm", 16);
  }
  if (isa == Isa::kAvx512) {
    if (what == PeakOf::kInt8Weights) {
      FATHOM_RUN_CHAINS("vpdpbusd", "zmm", 128);
    } else if (pairs) {
      FATHOM_RUN_CHAINS("vdpbf16ps", "zmm", 64);
    } else {
      FATHOM_RUN_CHAINS("vfmadd231ps", "zmm", 32);
    }
  }
#endif
  (void)isa;
  (void)pairs;
  (void)what;
  return 0;  // not known for the portable kernels
}

}  // namespace

double SecondsOf(const ThreadPool& pool, const std::function<void()>& body) {
  const clockid_t clock = pool.threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const double begin = Now(clock);
  body();
  return Now(clock) - begin;
}

ReadCeiling::ReadCeiling(ThreadPool& pool) : pool_(pool), memory_((size_t{1} << 28) / 8, 1) {}

double ReadCeiling::Seconds() {
  constexpr int64_t kItems = 64;
  std::vector<uint64_t> sums(kItems);
  return SecondsOf(pool_, [&] {
    pool_.ParallelFor(kItems, [&](int64_t item, int /*thread*/) {
      const auto count = static_cast<int64_t>(memory_.size()) / kItems;
      sums[static_cast<size_t>(item)] = Sum(memory_.data() + item * count, count);
    });
    asm volatile("" ::"r"(sums.data()) : "memory");  // the sums are used
  });
}

double PeakOperations(const Compute& compute, PeakOf what) {
  const bool pairs = compute.activations == Activations::kBfloat16;
  const int threads = compute.pool->threads();
  std::vector<double> operations(static_cast<size_t>(threads));
  const double seconds = SecondsOf(*compute.pool, [&] {
    compute.pool->ParallelFor(threads, [&](int64_t item, int /*thread*/) {
      operations[static_cast<size_t>(item)] = RunChains(compute.isa, pairs, what);
    });
  });
  return operations[0] * threads / seconds;
}

}  // namespace fathom
