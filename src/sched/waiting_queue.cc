#include "sched/waiting_queue.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/check.h"

namespace fathom {
namespace {

// Clients that have nothing open are remembered until there are this many.
constexpr size_t kMostIdleClients = 4096;

}  // namespace

void WaitingQueue::Push(int32_t slot, const Request& request) {
  FATHOM_CHECK(slot >= 0);
  if (static_cast<size_t>(slot) >= items_.size()) items_.resize(static_cast<size_t>(slot) + 1);
  const int32_t client = ClientFor(request.client);
  At(slot) = {.request = request, .client = client};
  Client& who = clients_[static_cast<size_t>(client)];
  if (who.requests == 0) who.charged = std::max(who.charged, served_);
  ++who.requests;
  Link(slot, /*at_front=*/false);
}

int32_t WaitingQueue::First() const {
  const Lines* best = nullptr;
  double best_key = std::numeric_limits<double>::infinity();
  for (const auto& [priority, lines] : classes_) {
    const double key = OldestOf(lines) + priority_step_s_ * priority;
    if (best != nullptr && !(key < best_key)) continue;
    best = &lines;
    best_key = key;
  }
  if (best == nullptr) return kNone;
  const auto served = [&](const Line& line) {
    return clients_[static_cast<size_t>(line.client)].charged;
  };
  const Line* next = &best->front();
  for (const Line& line : *best) {
    const double arrival = At(line.first).request.arrival_s;
    const bool less = served(line) < served(*next);
    const bool earlier =
        served(line) == served(*next) && arrival < At(next->first).request.arrival_s;
    if (less || earlier) next = &line;
  }
  return next->first;
}

void WaitingQueue::Take(int32_t slot) {
  Item& item = At(slot);
  FATHOM_CHECK(item.waits);
  Line& line = LineFor(item);
  (item.previous == kNone ? line.first : At(item.previous).next) = item.next;
  (item.next == kNone ? line.last : At(item.next).previous) = item.previous;
  item.waits = false;
  --size_;
  if (line.first != kNone) return;
  Lines& lines = classes_.at(item.request.priority);
  line = lines.back();
  lines.pop_back();
  if (lines.empty()) classes_.erase(item.request.priority);
}

void WaitingQueue::Serve(int32_t slot) {
  Take(slot);
  served_ = std::max(served_, clients_[static_cast<size_t>(At(slot).client)].charged);
}

void WaitingQueue::PutBack(int32_t slot) { Link(slot, /*at_front=*/true); }

void WaitingQueue::Leave(int32_t slot) {
  FATHOM_CHECK(!At(slot).waits);
  --clients_[static_cast<size_t>(At(slot).client)].requests;
}

bool WaitingQueue::Waits(int32_t slot) const {
  return static_cast<size_t>(slot) < items_.size() && At(slot).waits;
}

double WaitingQueue::OldestArrival() const {
  FATHOM_CHECK(size_ > 0);
  double oldest = std::numeric_limits<double>::infinity();
  for (const auto& [priority, lines] : classes_) oldest = std::min(oldest, OldestOf(lines));
  return oldest;
}

int32_t WaitingQueue::ClientFor(uint64_t name) {
  if (const auto known = client_of_.find(name); known != client_of_.end()) return known->second;
  if (free_clients_.empty() && clients_.size() >= kMostIdleClients) ForgetIdleClients();
  auto client = static_cast<int32_t>(clients_.size());
  if (free_clients_.empty()) {
    clients_.emplace_back();
  } else {
    client = free_clients_.back();
    free_clients_.pop_back();
  }
  clients_[static_cast<size_t>(client)] = {.name = name};
  client_of_[name] = client;
  return client;
}

void WaitingQueue::ForgetIdleClients() {
  // What one of thousands got beyond the others is not worth growing for.
  for (size_t i = 0; i < clients_.size(); ++i) {
    const Client& client = clients_[i];
    if (client.requests > 0) continue;
    client_of_.erase(client.name);
    free_clients_.push_back(static_cast<int32_t>(i));
  }
}

WaitingQueue::Line& WaitingQueue::LineFor(const Item& item) {
  Lines& lines = classes_[item.request.priority];
  const auto line = std::ranges::find(lines, item.client, &Line::client);
  if (line != lines.end()) return *line;
  return lines.emplace_back(Line{.client = item.client});
}

double WaitingQueue::OldestOf(const Lines& lines) const {
  double oldest = std::numeric_limits<double>::infinity();
  for (const Line& line : lines) oldest = std::min(oldest, At(line.first).request.arrival_s);
  return oldest;
}

void WaitingQueue::Link(int32_t slot, bool at_front) {
  Item& item = At(slot);
  FATHOM_CHECK(!item.waits);
  Line& line = LineFor(item);
  item.waits = true;
  item.previous = at_front ? kNone : line.last;
  item.next = at_front ? line.first : kNone;
  (item.previous == kNone ? line.first : At(item.previous).next) = slot;
  (item.next == kNone ? line.last : At(item.next).previous) = slot;
  ++size_;
}

}  // namespace fathom
