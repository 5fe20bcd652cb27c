#include "sched/step_time.h"

#include <algorithm>

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

}  // namespace fathom
