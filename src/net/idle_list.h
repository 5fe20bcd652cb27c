#ifndef FATHOM_NET_IDLE_LIST_H_
#define FATHOM_NET_IDLE_LIST_H_

#include <list>
#include <memory>
#include <mutex>

namespace fathom {

class Connection;

// The connections of all network threads that wait for a request, longest first. Whoever takes one
// off the list decides its fate: a connection that finds itself taken was chosen to make room.
//
// Threads   any.
class IdleList {
 public:
  // A connection's entry. Must be off the list before it ends.
  struct Entry {
    std::weak_ptr<Connection> connection;
    std::list<Entry*>::iterator place;  // where `listed`
    bool listed = false;
  };

  // Nothing happens to one that is listed already: it keeps its place.
  void Add(Entry& entry);
  // False when it was not listed: it was taken.
  bool Remove(Entry& entry);
  // The one that has been idle for longest, off the list; null when none is.
  std::shared_ptr<Connection> TakeOldest();

 private:
  std::mutex mutex_;
  std::list<Entry*> entries_;
};

}  // namespace fathom

#endif  // FATHOM_NET_IDLE_LIST_H_
