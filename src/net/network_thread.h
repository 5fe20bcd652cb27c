#ifndef FATHOM_NET_NETWORK_THREAD_H_
#define FATHOM_NET_NETWORK_THREAD_H_

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/result.h"

namespace fathom {

// One thread and the connections that live on it: all they do happens there, so they need no locks.
class NetworkThread {
 public:
  // A connection, as its thread sees it. Called on the thread.
  class Member {
   public:
    virtual ~Member() = default;
    virtual void Flush() = 0;            // Schedule was called
    virtual void Sweep() = 0;            // look whether a deadline has passed
    virtual void Drain() = 0;            // close, if no request is under way
    virtual void Close(bool abort) = 0;  // at once; ends in Remove
  };

  // Members' deadlines are looked at every `sweep`.
  explicit NetworkThread(std::chrono::milliseconds sweep);
  // Stops, as Stop.
  ~NetworkThread();
  NetworkThread(const NetworkThread&) = delete;
  NetworkThread& operator=(const NetworkThread&) = delete;

  // Errors (kDoesNotFit): the system refuses a thread.
  Status Start();
  // Closes all members and waits for the thread's end. Not on it (CHECK).
  void Stop();

  boost::asio::io_context& io() { return io_; }
  bool is_current() const { return std::this_thread::get_id() == thread_.get_id(); }

  // Has the thread call Flush. Any thread; those scheduled before it wakes cost one waking.
  void Schedule(std::shared_ptr<Member> member);
  // Has the thread call Drain of all its members. Any thread.
  void DrainAll();

  // On the thread.
  void Add(std::shared_ptr<Member> member);
  void Remove(const std::shared_ptr<Member>& member);

 private:
  void FlushScheduled();
  void SweepLater();
  template <typename Call>
  void ForEach(const Call& call);

  std::chrono::milliseconds sweep_;
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer sweep_timer_;
  std::unordered_set<std::shared_ptr<Member>> members_;
  std::vector<std::shared_ptr<Member>> flushing_;
  bool stopping_ = false;

  std::mutex mutex_;
  std::vector<std::shared_ptr<Member>> scheduled_;  // not empty: the thread was woken

  std::thread thread_;
};

}  // namespace fathom

#endif  // FATHOM_NET_NETWORK_THREAD_H_
