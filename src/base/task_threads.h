#ifndef FATHOM_BASE_TASK_THREADS_H_
#define FATHOM_BASE_TASK_THREADS_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fathom {

// Threads that begin tasks in the order they were posted, each when a thread is free: a task that
// takes long holds up nobody while another thread is there. One thread runs them one after the
// other.
// Threads: all may be called from any thread; Post not from a task of the same object, which would
// wait for itself.
class TaskThreads {
 public:
  using Task = std::function<void()>;

  // threads >= 1. `capacity`: most tasks that wait; >= 1.
  TaskThreads(int threads, size_t capacity);
  // Runs what was posted, then ends the threads.
  ~TaskThreads();
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;

  // Waits while the queue is full.
  void Post(Task task);
  // False, and `task` will not run, when the queue is full.
  bool TryPost(Task task);

 private:
  void Loop();

  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable emptied_;
  std::deque<Task> tasks_;
  bool stop_ = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace fathom

#endif  // FATHOM_BASE_TASK_THREADS_H_
