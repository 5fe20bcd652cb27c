#ifndef FATHOM_SERVER_DELIVERY_H_
#define FATHOM_SERVER_DELIVERY_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "api/api_error.h"
#include "base/clock.h"
#include "base/task_threads.h"
#include "server/answer.h"
#include "server/engine_loop.h"

namespace fathom {

// Most choices of one request.
inline constexpr int64_t kMostChoices = 1 << 16;

// The threads on which answers are made from the engine's events. Each answer lives on one of them.
// Threads: all functions from any thread.
class Delivery {
 public:
  Delivery(int threads, const Clock& clock);
  // Writes what was delivered, then ends the threads. Nothing may be called after it.
  void Stop();

  // The first of the tickets for the choices of an answer that is to be opened; the others follow.
  Ticket NextTickets();
  // Hands over the answer, before its tickets are submitted.
  void Open(Ticket first, std::unique_ptr<Answer> answer);

  // Hands out the events of a step. Waits when a thread is many steps behind.
  void Deliver(StepNews news);
  // Lets all answers hear that time goes by.
  void Tick();
  // Ends every answer that was opened with an error.
  void AbortAll(const ApiError& error);

 private:
  // The answers of one thread, by the number of their tickets; touched by that thread alone.
  struct Shelf {
    std::unordered_map<int64_t, std::unique_ptr<Answer>> answers;
    std::unique_ptr<TaskThreads> thread;
  };

  Shelf& ShelfOf(Ticket ticket);
  void Take(Shelf& shelf, TicketEvent event, double now_s);
  void ForAll(const std::function<void(Answer& answer, double now_s)>& visit);

  const Clock& clock_;
  std::atomic<int64_t> next_answer_ = 0;
  std::vector<Shelf> shelves_;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_DELIVERY_H_
