#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/host_limits.h"
#include "base/result.h"

namespace fathom {
namespace {

// A waiter looks this often before it sleeps: operators of one decoding step follow each other
// within microseconds, and a sleep costs more than that.
constexpr int kSpins = 2000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

int ThreadPool::AvailableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cpus = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cpus = CPU_COUNT(&set);
  return std::max(1, std::min(cpus, QuotaCpus().value_or(cpus)));
}

ThreadPool::ThreadPool(int threads) {
  FATHOM_CHECK(threads >= 1);
  FATHOM_CHECK(StartWorkers(threads - 1).ok());
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::Start(int threads) {
  FATHOM_CHECK(threads >= 1);
  std::unique_ptr<ThreadPool> pool(new ThreadPool());
  FATHOM_OK(pool->StartWorkers(threads - 1));
  return pool;
}

Status ThreadPool::StartWorkers(int count) {
  try {
    for (int i = 1; i <= count; ++i) workers_.emplace_back([this, i] { WorkerLoop(i); });
  } catch (const std::system_error& refused) {
    return DoesNotFit(Format("only {} of {} threads could be started: {}", threads(), count + 1,
                             refused.code().message()),
                      "", Format("allow more threads or memory, or take --threads {}", threads()));
  }
  return Ok();
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    ++generation_;
  }
  started_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::Run(int64_t items, const std::function<void(int64_t, int)>& body) {
  FATHOM_CHECK(!running_);
  if (items <= 0) return;
  running_ = true;
  body_ = &body;
  items_ = items;
  next_item_ = 0;
  if (items > 1) WakeWorkers();
  TakeItems(0);
  open_ = false;
  AwaitWorkers();
  running_ = false;
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::WakeWorkers() {
  if (workers_.empty()) return;
  open_ = true;
  {
    const std::lock_guard lock(mutex_);
    ++generation_;
  }
  started_.notify_all();
}

void ThreadPool::AwaitWorkers() {
  for (int i = 0; i < kSpins && inside_ != 0; ++i) Pause();
  if (inside_ == 0) return;
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return inside_ == 0; });
}

void ThreadPool::TakeItems(int thread) {
  try {
    for (int64_t item = next_item_++; item < items_; item = next_item_++) (*body_)(item, thread);
  } catch (...) {
    next_item_ = items_;
    const std::lock_guard lock(mutex_);
    if (error_ == nullptr) error_ = std::current_exception();
  }
}

void ThreadPool::WorkerLoop(int thread) {
  uint64_t seen = 0;
  while (true) {
    for (int i = 0; i < kSpins && generation_ == seen; ++i) Pause();
    if (generation_ == seen) {
      std::unique_lock lock(mutex_);
      started_.wait(lock, [this, seen] { return generation_ != seen; });
    }
    seen = generation_;
    if (stop_) return;
    ++inside_;
    if (open_) TakeItems(thread);
    if (--inside_ == 0) {
      const std::lock_guard lock(mutex_);
      finished_.notify_all();
    }
  }
}

}  // namespace fathom
