#include "base/task_thread.h"

#include <cstddef>
#include <mutex>
#include <utility>

#include "base/check.h"

namespace fathom {

TaskThread::TaskThread(size_t capacity) : capacity_(capacity), thread_([this] { Loop(); }) {
  FATHOM_CHECK(capacity >= 1);
}

TaskThread::~TaskThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  filled_.notify_one();
  thread_.join();
}

void TaskThread::Post(Task task) {
  {
    std::unique_lock lock(mutex_);
    emptied_.wait(lock, [this] { return tasks_.size() < capacity_; });
    tasks_.push_back(std::move(task));
  }
  filled_.notify_one();
}

bool TaskThread::TryPost(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (tasks_.size() >= capacity_) return false;
    tasks_.push_back(std::move(task));
  }
  filled_.notify_one();
  return true;
}

size_t TaskThread::pending() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size() + (busy_ ? 1 : 0);
}

void TaskThread::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    filled_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    emptied_.notify_one();
    task();
    lock.lock();
    busy_ = false;
  }
}

}  // namespace fathom
