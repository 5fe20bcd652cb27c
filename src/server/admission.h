#ifndef FATHOM_SERVER_ADMISSION_H_
#define FATHOM_SERVER_ADMISSION_H_

#include <cstdint>
#include <mutex>

namespace fathom {

// How many requests are let in: those that run and a queue of limited length. A request counts from
// its admission until its end. Threads: any.
class Admission {
 public:
  // `running`: how many the engine computes at once; `queue`: how many more may wait.
  Admission(int64_t running, int64_t queue) : running_(running), limit_(running + queue) {}

  // Lets `requests` in together, or none of them. More than there is room for when nobody is there
  // are never let in.
  bool Enter(int64_t requests);
  void Leave(double now_s);

  int64_t inside() const;
  int64_t limit() const { return limit_; }
  // Seconds until one of those that wait has probably ended, at the rate of the last ends: what
  // Retry-After says, 1 to 120.
  int64_t RetryAfterSeconds() const;

 private:
  const int64_t running_;
  const int64_t limit_;
  mutable std::mutex mutex_;
  int64_t inside_ = 0;
  double last_end_s_ = 0;
  double seconds_per_end_ = 0;  // running mean; 0: nothing is known yet
};

}  // namespace fathom

#endif  // FATHOM_SERVER_ADMISSION_H_
