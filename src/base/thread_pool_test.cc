#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace fathom {
namespace {

TEST(ThreadPool, EachItemRunsOnceWhateverTheNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const int64_t items : {0, 1, 2, 3, 100, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(items));
      pool.ParallelFor(items, [&](int64_t item, int) { ++runs[static_cast<size_t>(item)]; });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, ThreadNumbersPickScratchThatNobodyElseUses) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<int> clashes = 0;
  pool.ParallelFor(1000, [&](int64_t, int thread) {
    if (++inside[static_cast<size_t>(thread)] != 1) ++clashes;
    --inside[static_cast<size_t>(thread)];
  });
  EXPECT_EQ(clashes, 0);
}

TEST(ThreadPool, ResultsAreVisibleToTheCallerAfterEachOfManyLoops) {
  ThreadPool pool(3);
  std::vector<int64_t> sums(16, 0);
  for (int64_t round = 0; round < 2000; ++round) {
    pool.ParallelFor(16, [&](int64_t item, int) { sums[static_cast<size_t>(item)] += item; });
  }
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 2000 * static_cast<int64_t>(i));
}

TEST(ThreadPool, APoolThatNeverRanEnds) { const ThreadPool pool(3); }

TEST(ThreadPool, AtLeastOneCpuIsAvailable) { EXPECT_GE(ThreadPool::AvailableCpus(), 1); }

TEST(ThreadPoolDeathTest, MisuseEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(ThreadPool(0), "threads >= 1 does not hold");
  EXPECT_DEATH(
      {
        ThreadPool pool(2);
        pool.ParallelFor(4, [&](int64_t, int) { pool.ParallelFor(4, [](int64_t, int) {}); });
      },
      "!running_ does not hold");
}

}  // namespace
}  // namespace fathom
