#include "cli/line_score.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/json.h"

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

void LineScore::AddRow(std::span<const float> logits) {
  const size_t next = logprobs_.size() + 1;
  if (next >= item_.ids.size()) return;
  const LogSoftmax softmax(logits);
  logprobs_.push_back(softmax.LogProb(item_.ids[next]));
  nll_ -= logprobs_.back();
  if (top_ == 0) return;
  Json::Array pairs;
  for (const auto& [id, logprob] : softmax.Top(top_)) {
    pairs.emplace_back(Json::Array{Json(id), Json(logprob)});
  }
  tops_.emplace_back(std::move(pairs));
}

Json LineScore::Report() const {
  Json report = Json::MakeObject({{"id", item_.id},
                                  {"ids", Json::ArrayOf(item_.ids)},
                                  {"logprobs", Json::ArrayOf(logprobs_)}});
  if (top_ > 0) report.Set("top", Json(tops_));
  report.Set("nll", nll_);
  const auto count = static_cast<double>(logprobs_.size());
  report.Set("perplexity", count > 0 ? Json(std::exp(nll_ / count)) : Json());
  return report;
}

}  // namespace fathom
