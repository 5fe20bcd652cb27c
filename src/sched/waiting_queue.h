#ifndef FATHOM_SCHED_WAITING_QUEUE_H_
#define FATHOM_SCHED_WAITING_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace fathom {

// Who of those that wait goes next. Three rules, one inside the other:
//
// Priority  A request counts as come priority * `priority_step_s` seconds after its arrival: a
// lower
//           priority goes first, but each `priority_step_s` of waiting makes up for one level, so
//           nobody starves. Among the priorities that wait, the one whose oldest request counts as
//           earliest is served.
// Fairness  Inside a priority, the client served least goes first. What clients got is counted in
//           tokens (Charge: one for a computed prompt token, two for an answer's), as in the
//           virtual token counter of Sheng et al. 2024, "Fairness in Serving Large Language
//           Models". A client that comes (again) begins at what the client served last has: who was
//           away has saved nothing up. A client with requests waiting is therefore served after
//           finitely many tokens of others.
// Age       A client's own requests go first come, first served; so do all of them when there is
// one
//           client only.
//
// Requests are slots, small numbers that the caller gives and reuses.
// Cost      linear in the clients that wait and in their priorities: mostly one of each.
class WaitingQueue {
 public:
  static constexpr int32_t kNone = -1;

  explicit WaitingQueue(double priority_step_s) : priority_step_s_(priority_step_s) {}

  struct Request {
    uint64_t client = 0;
    int32_t priority = 0;
    double arrival_s = 0;
  };

  // A request begins to wait, behind those of its client. Requests are pushed as they arrive.
  void Push(int32_t slot, const Request& request);
  // The next to be served, or kNone.
  int32_t First() const;
  // The request waits no more: Leave or PutBack follows. The slot must wait.
  void Take(int32_t slot);
  // It waits no more because it begins to run.
  void Serve(int32_t slot);
  // A request that was taken or served waits again, before those of its client.
  void PutBack(int32_t slot);
  // The request is over. It must not wait.
  void Leave(int32_t slot);
  // Whose the slot is, for Charge; valid until Leave.
  int32_t ClientOf(int32_t slot) const { return At(slot).client; }
  // The client got `tokens`.
  void Charge(int32_t client, int64_t tokens) {
    clients_[static_cast<size_t>(client)].charged += tokens;
  }

  bool Waits(int32_t slot) const;
  // Calls `visit(slot)` for those that wait, at most so many: each client's own in their order.
  template <typename Visit>
  void VisitWaiting(int64_t most, Visit visit) const {
    for (const auto& [priority, lines] : classes_) {
      for (const Line& line : lines) {
        for (int32_t slot = line.first; slot != kNone; slot = At(slot).next) {
          if (most-- <= 0) return;
          visit(slot);
        }
      }
    }
  }
  int64_t size() const { return size_; }
  // The earliest arrival among those that wait. CHECK: size() > 0.
  double OldestArrival() const;

 private:
  // A client's requests of one priority, or of none (then it is not in a class).
  struct Line {
    int32_t client = 0;  // index into clients_
    int32_t first = kNone;
    int32_t last = kNone;
  };
  struct Client {
    uint64_t name = 0;
    int64_t charged = 0;   // tokens
    int64_t requests = 0;  // waiting or running
  };
  struct Item {
    Request request;
    int32_t client = 0;
    int32_t previous = kNone;
    int32_t next = kNone;
    bool waits = false;
  };
  using Lines = std::vector<Line>;

  Item& At(int32_t slot) { return items_[static_cast<size_t>(slot)]; }
  const Item& At(int32_t slot) const { return items_[static_cast<size_t>(slot)]; }
  int32_t ClientFor(uint64_t name);
  void ForgetIdleClients();
  Line& LineFor(const Item& item);
  double OldestOf(const Lines& lines) const;
  void Link(int32_t slot, bool at_front);

  double priority_step_s_;
  std::map<int32_t, Lines> classes_;  // by priority: the lines that are not empty
  std::vector<Client> clients_;
  std::vector<int32_t> free_clients_;
  std::unordered_map<uint64_t, int32_t> client_of_;
  std::vector<Item> items_;  // [slots]
  int64_t served_ = 0;       // what the client served last had been charged before
  int64_t size_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_SCHED_WAITING_QUEUE_H_
