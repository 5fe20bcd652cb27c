#include "server/admission.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>

namespace fathom {
namespace {

// Weight of the newest interval in the running mean: about the last ten count.
constexpr double kNewest = 0.1;

}  // namespace

bool Admission::Enter(int64_t requests) {
  const std::lock_guard lock(mutex_);
  if (inside_ + requests > limit_) return false;
  inside_ += requests;
  return true;
}

void Admission::Leave(double now_s) {
  const std::lock_guard lock(mutex_);
  --inside_;
  if (last_end_s_ > 0) {
    const double interval = now_s - last_end_s_;
    seconds_per_end_ =
        seconds_per_end_ == 0 ? interval : (1 - kNewest) * seconds_per_end_ + kNewest * interval;
  }
  last_end_s_ = now_s;
}

int64_t Admission::inside() const {
  const std::lock_guard lock(mutex_);
  return inside_;
}

int64_t Admission::RetryAfterSeconds() const {
  const std::lock_guard lock(mutex_);
  const auto waiting = static_cast<double>(std::max<int64_t>(inside_ - running_, 1));
  return static_cast<int64_t>(std::clamp(std::ceil(waiting * seconds_per_end_ / 2), 1.0, 120.0));
}

}  // namespace fathom
