#ifndef FATHOM_BASE_CLOCK_TESTING_H_
#define FATHOM_BASE_CLOCK_TESTING_H_

#include <atomic>

#include "base/clock.h"

namespace fathom {

// A clock that goes on when it is told to. Threads: any, Pass too.
class ManualClock : public Clock {
 public:
  double Seconds() const override { return now_; }
  void Pass(double seconds) { now_.fetch_add(seconds); }

 private:
  std::atomic<double> now_ = 1000;  // nothing may depend on where a clock began
};

}  // namespace fathom

#endif  // FATHOM_BASE_CLOCK_TESTING_H_
