#ifndef FATHOM_ENGINE_LOG_SOFTMAX_H_
#define FATHOM_ENGINE_LOG_SOFTMAX_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fathom {

// Natural logarithms of probabilities, computed in float64:
//   log p(i) = logits[i] - max - log(sum_j exp(logits[j] - max))
class LogSoftmax {
 public:
  explicit LogSoftmax(std::span<const float> logits);
  double LogProb(int64_t id) const;
  // The k most likely ids with their log-probabilities, most likely first; of equals the lower id.
  // Fewer when the vocabulary is smaller.
  std::vector<std::pair<int32_t, double>> Top(int64_t k) const;

 private:
  std::span<const float> logits_;
  double log_sum_;  // max + log(sum)
};

}  // namespace fathom

#endif  // FATHOM_ENGINE_LOG_SOFTMAX_H_
