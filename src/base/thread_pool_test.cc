#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

#include "base/host_limits.h"

namespace fathom {
namespace {

TEST(ThreadPool, RunsEveryItemOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const int64_t items : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(items));
      pool.ParallelFor(items,
                       [&](int64_t item, int /*thread*/) { ++runs[static_cast<size_t>(item)]; });
      for (const std::atomic<int>& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, ThreadNumbersAreInRangeAndNeverTwiceAtOnce) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<int> bad = 0;
  pool.ParallelFor(5000, [&](int64_t /*item*/, int thread) {
    if (thread < 0 || thread >= 4) {
      ++bad;
      return;
    }
    std::atomic<int>& mine = inside[static_cast<size_t>(thread)];
    if (++mine != 1) ++bad;
    --mine;
  });
  EXPECT_EQ(bad, 0);
}

TEST(ThreadPool, ReturnsOnlyWhenAllIsVisible) {
  ThreadPool pool(3);
  std::vector<int64_t> values(64);  // plain memory: the loop's end must order the writes
  for (int64_t round = 1; round <= 2000; ++round) {
    pool.ParallelFor(
        64, [&](int64_t item, int /*thread*/) { values[static_cast<size_t>(item)] += item; });
    if (round % 500 != 0) continue;
    for (int64_t i = 0; i < 64; ++i) ASSERT_EQ(values[static_cast<size_t>(i)], i * round);
  }
}

TEST(ThreadPool, NoItemsCallsNothing) {
  ThreadPool pool(2);
  pool.ParallelFor(0, [](int64_t, int) { FAIL(); });
  pool.ParallelFor(-3, [](int64_t, int) { FAIL(); });
}

TEST(ThreadPool, OneItemRunsInTheCallingThread) {
  ThreadPool pool(3);
  const std::thread::id caller = std::this_thread::get_id();
  pool.ParallelFor(1, [&](int64_t item, int thread) {
    EXPECT_EQ(item, 0);
    EXPECT_EQ(thread, 0);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(ThreadPool, WhatAnItemThrowsIsThrownToTheCallerAndThePoolGoesOn) {
  for (const int threads : {1, 4}) {
    ThreadPool pool(threads);
    for (const int64_t items : {1, 1000}) {
      const auto fails = [](int64_t item, int /*thread*/) {
        if (item == 0) throw std::bad_alloc();
      };
      EXPECT_THROW(pool.ParallelFor(items, fails), std::bad_alloc);
      std::atomic<int64_t> sum = 0;
      pool.ParallelFor(10, [&](int64_t item, int /*thread*/) { sum += item; });
      EXPECT_EQ(sum, 45);
    }
  }
}

TEST(ThreadPool, MayBeMadeAndLeftIdle) {
  for (int i = 0; i < 20; ++i) ThreadPool pool(3);
}

// The first `count` CPUs of `set`.
cpu_set_t FirstCpus(const cpu_set_t& set, int count) {
  cpu_set_t first;
  CPU_ZERO(&first);
  for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&first) < count; ++cpu) {
    if (CPU_ISSET(cpu, &set)) CPU_SET(cpu, &first);
  }
  return first;
}

TEST(ThreadPool, AvailableCpusAreThoseOfTheAffinityMask) {
  if (QuotaCpus()) GTEST_SKIP() << "a control group limits the CPUs";
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  // In a thread of its own: the mask of this one stays as it is.
  std::thread([&all] {
    for (int count = 1; count <= CPU_COUNT(&all); ++count) {
      const cpu_set_t some = FirstCpus(all, count);
      ASSERT_EQ(sched_setaffinity(0, sizeof(some), &some), 0);
      EXPECT_EQ(ThreadPool::AvailableCpus(), count);
    }
  }).join();
}

TEST(ThreadPoolDeathTest, ALoopInsideALoopIsABug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        ThreadPool pool(2);
        pool.ParallelFor(2, [&](int64_t, int) { pool.ParallelFor(2, [](int64_t, int) {}); });
      },
      "running_");
}

TEST(ThreadPoolDeathTest, APoolHasAtLeastOneThread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(ThreadPool(0), "threads >= 1");
}

}  // namespace
}  // namespace fathom
