#include "net/idle_list.h"

#include <memory>
#include <mutex>
#include <utility>

namespace fathom {

void IdleList::Add(Entry& entry) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(entry.listed, true)) return;
  entry.place = entries_.insert(entries_.end(), &entry);
}

bool IdleList::Remove(Entry& entry) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(entry.listed, false)) return false;
  entries_.erase(entry.place);
  return true;
}

std::shared_ptr<Connection> IdleList::TakeOldest() {
  const std::lock_guard lock(mutex_);
  if (entries_.empty()) return nullptr;
  Entry& oldest = *entries_.front();
  entries_.pop_front();
  oldest.listed = false;
  return oldest.connection.lock();
}

}  // namespace fathom
