#include "base/task_threads.h"

#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"

namespace fathom {

TaskThreads::TaskThreads(int threads, size_t capacity) : capacity_(capacity) {
  FATHOM_CHECK(threads >= 1 && capacity >= 1);
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Loop(); });
}

TaskThreads::~TaskThreads() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  filled_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void TaskThreads::Post(Task task) {
  {
    std::unique_lock lock(mutex_);
    emptied_.wait(lock, [this] { return tasks_.size() < capacity_; });
    tasks_.push_back(std::move(task));
  }
  filled_.notify_one();
}

bool TaskThreads::TryPost(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (tasks_.size() >= capacity_) return false;
    tasks_.push_back(std::move(task));
  }
  filled_.notify_one();
  return true;
}

void TaskThreads::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    filled_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    emptied_.notify_one();
    task();
    task = nullptr;  // what it holds may be waited for, and may need the lock
    lock.lock();
  }
}

}  // namespace fathom
