#include "sched/step_time.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace fathom {
namespace {

// A point counts half after about 70 more.
constexpr double kKept = 0.99;

}  // namespace

void FittedLine::Observe(double x, double y) {
  for (double* sum : {&weight_, &x_, &y_, &xx_, &xy_}) *sum *= kKept;
  weight_ += 1;
  x_ += x;
  y_ += y;
  xx_ += x * x;
  xy_ += x * y;
}

double FittedLine::At(double x) const {
  if (empty()) return 0;
  const double spread = xx_ - x_ * x_ / weight_;
  // Rounding leaves something of equal x: less than this share of their squares.
  if (spread <= 1e-9 * xx_) return x_ > 0 ? y_ / x_ * x : y_ / weight_;
  const double slope = (xy_ - x_ * y_ / weight_) / spread;
  return std::max(0.0, (y_ - slope * x_) / weight_ + slope * x);
}

void StepTimes::Observe(const StepShape& shape, double seconds) {
  if (shape.decoding == 0 && shape.prefill_tokens > 0) {
    prefill_.Observe(static_cast<double>(shape.prefill_tokens), seconds);
  } else if (shape.prefill_tokens == 0 && shape.decoding > 0) {
    decode_.Observe(static_cast<double>(shape.decoding), seconds);
  }
}

double StepTimes::Predict(const StepShape& shape) const {
  double seconds = 0;
  if (shape.prefill_tokens > 0) seconds += prefill_.At(static_cast<double>(shape.prefill_tokens));
  if (shape.decoding > 0) seconds += decode_.At(static_cast<double>(shape.decoding));
  return seconds;
}

void RecentDecoding::Observe(const StepShape& shape, double seconds) {
  since_s_ += seconds;
  if (shape.decoding == 0) return;
  steps_.push_back({shape.decoding, std::exchange(since_s_, 0)});
  Count(steps_.back(), 1);
  while (tokens_ - steps_.front().decoding >= kWindow) {
    Count(steps_.front(), -1);
    steps_.pop_front();
  }
}

double RecentDecoding::SecondsPerToken() const {
  return tokens_ == 0 ? 0 : seconds_ / static_cast<double>(tokens_);
}

int64_t RecentDecoding::Batch() const { return tokens_ == 0 ? 0 : squares_ / tokens_; }

void RecentDecoding::Count(const Step& step, int64_t sign) {
  tokens_ += sign * step.decoding;
  squares_ += sign * step.decoding * step.decoding;
  seconds_ += static_cast<double>(sign * step.decoding) * step.seconds;
}

}  // namespace fathom
