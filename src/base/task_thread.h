#ifndef FATHOM_BASE_TASK_THREAD_H_
#define FATHOM_BASE_TASK_THREAD_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace fathom {

// One thread that runs tasks one after the other, in the order they were posted.
// Threads: all may be called from any thread; Post not from a task of the same object, which would
// wait for itself.
class TaskThread {
 public:
  using Task = std::function<void()>;

  // Most tasks that wait; >= 1.
  explicit TaskThread(size_t capacity);
  // Runs what was posted, then ends the thread.
  ~TaskThread();
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  // Waits while the queue is full.
  void Post(Task task);
  // False, and `task` will not run, when the queue is full.
  bool TryPost(Task task);

  // Tasks that wait or run.
  size_t pending() const;

 private:
  void Loop();

  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable emptied_;
  std::deque<Task> tasks_;
  bool busy_ = false;
  bool stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace fathom

#endif  // FATHOM_BASE_TASK_THREAD_H_
