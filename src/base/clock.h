#ifndef FATHOM_BASE_CLOCK_H_
#define FATHOM_BASE_CLOCK_H_

#include <string>

namespace fathom {

// Time that only goes forward, behind an interface so that tests decide what time it is.
// Threads: Seconds may be called from several at once.
class Clock {
 public:
  virtual ~Clock() = default;
  // Seconds since a fixed but unknown moment.
  virtual double Seconds() const = 0;
};

// The machine's steady clock.
class SteadyClock : public Clock {
 public:
  double Seconds() const override;
};

// Today by the machine's calendar and time zone: "2026-01-02".
std::string LocalDate();

}  // namespace fathom

#endif  // FATHOM_BASE_CLOCK_H_
