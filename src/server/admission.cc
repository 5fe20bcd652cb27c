#include "server/admission.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>

namespace fathom {
namespace {

// What an end counts when the next has come: about the last ten do.
constexpr double kFade = 0.9;

}  // namespace

bool Admission::Enter(const Demand& demand, double now_s) {
  const std::lock_guard lock(mutex_);
  if (inside_.requests + demand.requests > limit_) return false;
  if (inside_.requests == 0) last_end_s_ = now_s;
  inside_.requests += demand.requests;
  inside_.tokens += demand.tokens;
  return true;
}

void Admission::Leave(int64_t tokens, double now_s) {
  const std::lock_guard lock(mutex_);
  --inside_.requests;
  inside_.tokens -= tokens;
  recent_s_ = kFade * recent_s_ + now_s - last_end_s_;
  recent_tokens_ = kFade * recent_tokens_ + static_cast<double>(tokens);
  last_end_s_ = now_s;
}

int64_t Admission::inside() const {
  const std::lock_guard lock(mutex_);
  return inside_.requests;
}

int64_t Admission::RetryAfterSeconds() const {
  const std::lock_guard lock(mutex_);
  if (inside_.requests == 0 || recent_tokens_ == 0) return 1;
  const auto waiting = static_cast<double>(std::max<int64_t>(inside_.requests - running_, 1));
  const double share = waiting / static_cast<double>(inside_.requests);
  const double tokens = share * static_cast<double>(inside_.tokens);
  const double seconds = tokens * recent_s_ / recent_tokens_ / 2;
  return static_cast<int64_t>(std::clamp(std::round(seconds), 1.0, 120.0));
}

}  // namespace fathom
