#include "base/clock.h"

#include <chrono>

namespace fathom {

double SteadyClock::Seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace fathom
