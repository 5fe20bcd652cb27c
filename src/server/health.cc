#include "server/health.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "server/engine_loop.h"

namespace fathom {

const char* HealthReport::name() const {
  switch (state) {
    case State::kStarting:
      return "starting";
    case State::kReady:
      return "ok";
    case State::kStuck:
      return "stuck";
    case State::kDraining:
      return "draining";
  }
  FATHOM_CHECK(false && "every state has a name");
  return "";
}

void Health::Starting(std::string phase) {
  const std::lock_guard lock(mutex_);
  base_ = {HealthReport::State::kStarting, std::move(phase), 0};
}

void Health::Ready() {
  const std::lock_guard lock(mutex_);
  base_ = {HealthReport::State::kReady, "", 0};
}

void Health::Draining() {
  const std::lock_guard lock(mutex_);
  base_ = {HealthReport::State::kDraining, "no new requests are taken, those that run are finished",
           0};
}

HealthReport Health::Check(const std::optional<LoopProgress>& progress, double now_s) const {
  if (progress && progress->busy && now_s - progress->since_s > step_timeout_s_) {
    const int64_t step = progress->steps + 1;
    return {HealthReport::State::kStuck,
            Format("{} has taken {:.1f} s so far, expected at most {} s (step {})", progress->phase,
                   now_s - progress->since_s, step_timeout_s_, step),
            step};
  }
  const std::lock_guard lock(mutex_);
  return base_;
}

}  // namespace fathom
