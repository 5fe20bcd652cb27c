#include "net/server_state.h"

#include <chrono>
#include <cstdint>
#include <mutex>

namespace fathom {

void OpenConnections::Add(int64_t count) {
  const std::lock_guard lock(mutex_);
  count_ += count;
  if (count_ == 0) none_.notify_all();
}

int64_t OpenConnections::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

bool OpenConnections::AwaitNone(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, limit, [this] { return count_ == 0; });
}

}  // namespace fathom
