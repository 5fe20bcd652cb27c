#include "server/health.h"

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
  base_ = {HealthReport::State::kStarting, std::move(phase)};
}

void Health::Ready() {
  const std::lock_guard lock(mutex_);
  base_ = {HealthReport::State::kReady, ""};
}

void Health::Draining() {
  const std::lock_guard lock(mutex_);
  base_ = {HealthReport::State::kDraining,
           "no new requests are taken, those that run are finished"};
}

HealthReport Health::Check(const std::optional<LoopProgress>& progress, double now_s) const {
  if (progress && progress->busy && now_s - progress->since_s > step_timeout_s_) {
    return {
        HealthReport::State::kStuck,
        Format("{} has taken {:.0f} s so far, expected at most {:.0f} s (step {})", progress->phase,
               now_s - progress->since_s, step_timeout_s_, progress->steps + 1)};
  }
  const std::lock_guard lock(mutex_);
  return base_;
}

}  // namespace fathom
