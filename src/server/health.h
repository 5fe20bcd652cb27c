#ifndef FATHOM_SERVER_HEALTH_H_
#define FATHOM_SERVER_HEALTH_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "server/engine_loop.h"

namespace fathom {

// How the server is, in one word and one sentence.
struct HealthReport {
  enum class State { kStarting, kReady, kStuck, kDraining };
  State state = State::kStarting;
  std::string reason;  // "phase 2 of 3, reading weights: 37.5 %"; empty when ready
  int64_t step = 0;    // kStuck: the number of the step that is, from 1

  bool ready() const { return state == State::kReady; }
  // "starting", "ok", "stuck", "draining".
  const char* name() const;
};

// What is known of the server's health. Threads: any.
class Health {
 public:
  // A step that takes longer is stuck.
  explicit Health(double step_timeout_s) : step_timeout_s_(step_timeout_s) {}

  void Starting(std::string phase);
  void Ready();
  void Draining();

  // `progress` is the engine's (none before there is one).
  HealthReport Check(const std::optional<LoopProgress>& progress, double now_s) const;

 private:
  const double step_timeout_s_;
  mutable std::mutex mutex_;
  HealthReport base_;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_HEALTH_H_
