#ifndef FATHOM_BASE_CLOCK_TESTING_H_
#define FATHOM_BASE_CLOCK_TESTING_H_

#include "base/clock.h"

namespace fathom {

// A clock that goes on when it is told to.
class ManualClock : public Clock {
 public:
  double Seconds() const override { return now_; }
  void Pass(double seconds) { now_ += seconds; }

 private:
  double now_ = 1000;  // nothing may depend on where a clock began
};

}  // namespace fathom

#endif  // FATHOM_BASE_CLOCK_TESTING_H_
