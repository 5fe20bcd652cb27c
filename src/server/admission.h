#ifndef FATHOM_SERVER_ADMISSION_H_
#define FATHOM_SERVER_ADMISSION_H_

#include <cstdint>
#include <mutex>

namespace fathom {

// What a request asks of the engine: one for each of its answers.
struct Demand {
  int64_t requests = 0;
  int64_t tokens = 0;  // of their prompts, and the most of their answers
};

// How many requests are let in: those that run and a queue of limited length. A request counts from
// its admission until its end. Threads: any.
class Admission {
 public:
  // `running`: how many the engine computes at once; `queue`: how many more may wait.
  Admission(int64_t running, int64_t queue) : running_(running), limit_(running + queue) {}

  // Lets all in together, or none of them. More than there is room for when nobody is there are
  // never let in.
  bool Enter(const Demand& demand, double now_s);
  // One of them, that asked for so many tokens, has ended.
  void Leave(int64_t tokens, double now_s);

  int64_t inside() const;
  int64_t limit() const { return limit_; }
  // Seconds until half of those that wait have probably ended: by the tokens they ask for, at the
  // rate at which those that ended last got theirs. What Retry-After says, 1 to 120.
  int64_t RetryAfterSeconds() const;

 private:
  const int64_t running_;
  const int64_t limit_;
  mutable std::mutex mutex_;
  Demand inside_;
  double last_end_s_ = 0;  // or when the first came after nobody was there
  // Of the last ends, the older the less they count: how long they took, and what they asked for.
  double recent_s_ = 0;
  double recent_tokens_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_ADMISSION_H_
