#include "engine/log_softmax.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace fathom {

LogSoftmax::LogSoftmax(std::span<const float> logits) : logits_(logits) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - most);
  log_sum_ = most + std::log(sum);
}

double LogSoftmax::LogProb(int64_t id) const {
  return static_cast<double>(logits_[static_cast<size_t>(id)]) - log_sum_;
}

std::vector<std::pair<int32_t, double>> LogSoftmax::Top(int64_t k) const {
  std::vector<int32_t> ids(logits_.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto count = std::min(k, static_cast<int64_t>(ids.size()));
  const auto before = [this](int32_t a, int32_t b) {
    const float x = logits_[static_cast<size_t>(a)];
    const float y = logits_[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  };
  std::partial_sort(ids.begin(), ids.begin() + count, ids.end(), before);
  std::vector<std::pair<int32_t, double>> top;
  for (const int32_t id : std::span(ids).first(static_cast<size_t>(count))) {
    top.emplace_back(id, LogProb(id));
  }
  return top;
}

}  // namespace fathom
