#ifndef FATHOM_SCHED_STEP_TIME_H_
#define FATHOM_SCHED_STEP_TIME_H_

#include <cstdint>
#include <deque>
#include <functional>

namespace fathom {

// What decides how long a step takes.
struct StepShape {
  int64_t prefill_tokens = 0;
  int64_t decoding = 0;  // sequences that compute one token
};

// Seconds a step of this shape takes. A simulator gives its own; without one StepTimes is asked.
using StepPredictor = std::function<double(const StepShape&)>;

// A line through observed points, the older ones forgotten little by little: y = a + b * x by least
// squares. Before two different x were seen: through the origin.
class FittedLine {
 public:
  void Observe(double x, double y);
  double At(double x) const;
  bool empty() const { return weight_ == 0; }

 private:
  double weight_ = 0;
  double x_ = 0;  // weighted sums
  double y_ = 0;
  double xx_ = 0;
  double xy_ = 0;
};

// Predicts step times from those observed: one line for prefill steps over their tokens, one for
// decode steps over their sequences. Mixed steps say nothing about either and are left out.
class StepTimes {
 public:
  void Observe(const StepShape& shape, double seconds);
  // The sum of what the shape's two parts take; 0 for what was never observed.
  double Predict(const StepShape& shape) const;

 private:
  FittedLine prefill_;
  FittedLine decode_;
};

// How long sequences that decode waited for their tokens, over the last tokens: each token counts
// once, so that a step of a hundred says a hundred times what a step of one does.
class RecentDecoding {
 public:
  static constexpr int64_t kWindow = 20'000;  // tokens

  void Observe(const StepShape& shape, double seconds);
  int64_t tokens() const { return tokens_; }
  // From one step that decodes to the end of the next, prefills between them included; 0 when
  // nothing was observed.
  double SecondsPerToken() const;
  // Sequences that decoded in a token's step; 0 when nothing was observed.
  int64_t Batch() const;

 private:
  struct Step {
    int64_t decoding = 0;
    double seconds = 0;
  };
  void Count(const Step& step, int64_t sign);

  std::deque<Step> steps_;
  int64_t tokens_ = 0;
  int64_t squares_ = 0;  // sum of decoding * decoding
  double seconds_ = 0;   // sum of decoding * seconds
  double since_s_ = 0;   // steps since the last that decoded
};

}  // namespace fathom

#endif  // FATHOM_SCHED_STEP_TIME_H_
