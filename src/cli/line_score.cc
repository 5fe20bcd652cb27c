#include "cli/line_score.h"

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "base/json.h"
#include "engine/log_softmax.h"

namespace fathom {

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
