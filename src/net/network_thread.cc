#include "net/network_thread.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"

namespace fathom {

NetworkThread::NetworkThread(std::chrono::milliseconds sweep)
    : sweep_(sweep), io_(1), work_(boost::asio::make_work_guard(io_)), sweep_timer_(io_) {}

NetworkThread::~NetworkThread() { Stop(); }

Status NetworkThread::Start() {
  SweepLater();
  try {
    thread_ = std::thread([this] { io_.run(); });
  } catch (const std::system_error& refused) {
    return DoesNotFit(Format("cannot start a network thread: {}", refused.code().message()), "",
                      "allow this user more threads (`ulimit -u`), or ask for fewer");
  }
  return Ok();
}

void NetworkThread::Stop() {
  if (!thread_.joinable()) return;
  FATHOM_CHECK(!is_current());
  boost::asio::post(io_, [this] {
    ForEach([](Member& member) { member.Close(true); });
    stopping_ = true;
    sweep_timer_.cancel();
    work_.reset();
  });
  thread_.join();
}

void NetworkThread::Schedule(std::shared_ptr<Member> member) {
  {
    const std::lock_guard lock(mutex_);
    scheduled_.push_back(std::move(member));
    if (scheduled_.size() > 1) return;
  }
  boost::asio::post(io_, [this] { FlushScheduled(); });
}

void NetworkThread::FlushScheduled() {
  {
    const std::lock_guard lock(mutex_);
    flushing_.swap(scheduled_);
  }
  for (const std::shared_ptr<Member>& member : flushing_) member->Flush();
  flushing_.clear();
}

void NetworkThread::DrainAll() {
  boost::asio::post(io_, [this] { ForEach([](Member& member) { member.Drain(); }); });
}

void NetworkThread::Add(std::shared_ptr<Member> member) { members_.insert(std::move(member)); }

void NetworkThread::Remove(const std::shared_ptr<Member>& member) { members_.erase(member); }

// Members may leave while they are called.
template <typename Call>
void NetworkThread::ForEach(const Call& call) {
  const std::vector<std::shared_ptr<Member>> members(members_.begin(), members_.end());
  for (const std::shared_ptr<Member>& member : members) call(*member);
}

void NetworkThread::SweepLater() {
  sweep_timer_.expires_after(sweep_);
  sweep_timer_.async_wait([this](boost::system::error_code error) {
    if (error || stopping_) return;
    ForEach([](Member& member) { member.Sweep(); });
    SweepLater();
  });
}

}  // namespace fathom
