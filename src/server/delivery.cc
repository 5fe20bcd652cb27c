#include "server/delivery.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "base/clock.h"
#include "base/task_threads.h"
#include "server/answer.h"
#include "server/engine_loop.h"

namespace fathom {
namespace {

// Steps that may wait for a thread before the engine waits for it.
constexpr size_t kStepsBehind = 64;

}  // namespace

Delivery::Delivery(int threads, const Clock& clock)
    : clock_(clock), shelves_(static_cast<size_t>(threads)) {
  for (Shelf& shelf : shelves_) shelf.thread = std::make_unique<TaskThreads>(1, kStepsBehind);
}

void Delivery::Stop() {
  for (Shelf& shelf : shelves_) shelf.thread.reset();
}

Ticket Delivery::NextTickets() { return next_answer_.fetch_add(1) * kMostChoices; }

Delivery::Shelf& Delivery::ShelfOf(Ticket ticket) {
  return shelves_[static_cast<size_t>(ticket / kMostChoices) % shelves_.size()];
}

void Delivery::Open(Ticket first, std::unique_ptr<Answer> answer) {
  Shelf& shelf = ShelfOf(first);
  // std::function wants what can be copied.
  auto shared = std::make_shared<std::unique_ptr<Answer>>(std::move(answer));
  shelf.thread->Post(
      [&shelf, first, shared] { shelf.answers[first / kMostChoices] = std::move(*shared); });
}

void Delivery::Deliver(StepNews news) {
  std::vector<std::vector<TicketEvent>> parts(shelves_.size());
  for (TicketEvent& event : news.events) {
    const size_t shelf = static_cast<size_t>(event.ticket / kMostChoices) % shelves_.size();
    parts[shelf].push_back(std::move(event));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    Shelf& shelf = shelves_[i];
    auto events = std::make_shared<std::vector<TicketEvent>>(std::move(parts[i]));
    shelf.thread->Post([this, &shelf, events] {
      const double now_s = clock_.Seconds();
      for (TicketEvent& event : *events) Take(shelf, std::move(event), now_s);
    });
  }
}

void Delivery::Take(Shelf& shelf, TicketEvent event, double now_s) {
  const auto entry = shelf.answers.find(event.ticket / kMostChoices);
  Answer& answer = *entry->second;
  answer.Take(static_cast<size_t>(event.ticket % kMostChoices), std::move(event.event), now_s);
  if (answer.over()) shelf.answers.erase(entry);
}

void Delivery::ForAll(const std::function<void(Answer& answer, double now_s)>& visit) {
  for (Shelf& shelf : shelves_) {
    shelf.thread->Post([this, &shelf, visit] {
      const double now_s = clock_.Seconds();
      for (const auto& [number, answer] : shelf.answers) visit(*answer, now_s);
    });
  }
}

void Delivery::Tick() {
  ForAll([](Answer& answer, double now_s) { answer.Tick(now_s); });
}

void Delivery::AbortAll(const ApiError& error) {
  ForAll([error](Answer& answer, double now_s) { answer.Abort(error, now_s); });
}

}  // namespace fathom
