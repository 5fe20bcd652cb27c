#ifndef FATHOM_BASE_THREAD_POOL_H_
#define FATHOM_BASE_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"

namespace fathom {

// A fixed set of threads that work through one loop at a time. The calling thread takes part, so a
// pool of one starts no thread. Work items are handed out one by one: which thread runs an item is
// not defined, so an item's result must depend on its index only.
//
// Threads   ParallelFor must not be called from two threads at once, nor from inside an item
// (CHECK).
class ThreadPool {
 public:
  // threads >= 1, the calling thread included.
  explicit ThreadPool(int threads);
  // The same where the system may refuse threads. Errors (kDoesNotFit): how many could be started.
  static Result<std::unique_ptr<ThreadPool>> Start(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The number of CPUs this process may run on (affinity mask and control groups both asked), at
  // least 1.
  static int AvailableCpus();

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs body(item, thread) for each item of [0, items), thread in [0, threads()); returns when all
  // are done. `thread` picks a scratch buffer: no two items run at once with the same value.
  // Takes the body by reference: nothing is allocated. What a body throws ends the loop (items not
  // begun are left out) and is thrown again here, the first of several.
  template <typename Body>
  void ParallelFor(int64_t items, const Body& body) {
    Run(items, std::cref(body));
  }

 private:
  ThreadPool() = default;  // with no worker yet
  void Run(int64_t items, const std::function<void(int64_t item, int thread)>& body);
  Status StartWorkers(int count);
  void WorkerLoop(int thread);
  void WakeWorkers();
  void TakeItems(int thread);
  void AwaitWorkers();

  std::mutex mutex_;
  std::condition_variable started_;
  std::condition_variable finished_;
  // Each on a cache line of its own: waiters read one while workers write another.
  alignas(64) std::atomic<uint64_t> generation_ = 0;  // counts loops; a change wakes the workers
  std::atomic<bool> stop_ = false;
  // A worker counts itself in before it looks whether the loop is open, the caller closes the loop
  // before it looks who is in: so a worker that wakes too late is not waited for.
  alignas(64) std::atomic<bool> open_ = false;
  std::atomic<int> inside_ = 0;
  bool running_ = false;

  const std::function<void(int64_t, int)>* body_ = nullptr;
  int64_t items_ = 0;
  std::exception_ptr error_;
  alignas(64) std::atomic<int64_t> next_item_ = 0;
  std::vector<std::thread> workers_;
};

}  // namespace fathom

#endif  // FATHOM_BASE_THREAD_POOL_H_
