#include "ops/router.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/check.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

void SigmoidScores(std::span<const float> logits, std::span<float> scores) {
  for (size_t e = 0; e < logits.size(); ++e) scores[e] = 1 / (1 + std::exp(-logits[e]));
}

void SoftmaxScores(std::span<const float> logits, std::span<float> scores) {
  const float highest = *std::max_element(logits.begin(), logits.end());
  float sum = 0;
  for (size_t e = 0; e < logits.size(); ++e) sum += scores[e] = std::exp(logits[e] - highest);
  for (float& score : scores) score /= sum;
}

// The ids of the `count` largest values, ties to the lower id, in ascending order.
void BestIds(std::span<const float> values, std::vector<int32_t>& order, std::span<int32_t> best) {
  order.resize(values.size());
  std::iota(order.begin(), order.end(), 0);
  const auto better = [&](int32_t a, int32_t b) {
    const float x = values[static_cast<size_t>(a)];
    const float y = values[static_cast<size_t>(b)];
    return x > y || (x == y && a < b);
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<int64_t>(best.size()), order.end(),
                    better);
  std::copy_n(order.begin(), best.size(), best.begin());
  std::sort(best.begin(), best.end());
}

float GroupScore(RouterRule::Groups rule, std::span<const float> choice) {
  float first = kMasked;
  float second = kMasked;
  for (const float value : choice) {
    second = std::max(second, std::min(first, value));
    first = std::max(first, value);
  }
  return rule == RouterRule::Groups::kMax ? first : first + second;
}

void MaskGroups(const RouterRule& rule, RouterBuffers& buffers) {
  const size_t size = buffers.choice.size() / static_cast<size_t>(rule.groups);
  const std::span<float> choice = buffers.choice;
  buffers.group_scores.clear();
  for (size_t g = 0; g < static_cast<size_t>(rule.groups); ++g) {
    buffers.group_scores.push_back(GroupScore(rule.group_score, choice.subspan(g * size, size)));
  }
  buffers.kept.resize(static_cast<size_t>(rule.top_groups));
  BestIds(buffers.group_scores, buffers.order, buffers.kept);
  for (int32_t g = 0; g < static_cast<int32_t>(rule.groups); ++g) {
    if (std::binary_search(buffers.kept.begin(), buffers.kept.end(), g)) continue;
    std::ranges::fill(choice.subspan(static_cast<size_t>(g) * size, size), kMasked);
  }
}

void WriteWeights(const RouterRule& rule, std::span<const float> scores,
                  std::span<const int32_t> experts, std::span<float> weights) {
  float sum = 0;
  for (const int32_t e : experts) sum += scores[static_cast<size_t>(e)];
  const float divisor = rule.normalize ? sum + 1e-20F : 1;
  const auto scale = static_cast<float>(rule.scale);
  for (size_t i = 0; i < experts.size(); ++i) {
    weights[i] = scores[static_cast<size_t>(experts[i])] / divisor * scale;
  }
}

void RouteToken(const RouterRule& rule, std::span<const float> logits, std::span<const float> bias,
                RouterBuffers& buffers, std::span<int32_t> experts) {
  buffers.scores.resize(logits.size());
  if (rule.scores == RouterRule::Scores::kSigmoid) {
    SigmoidScores(logits, buffers.scores);
  } else {
    SoftmaxScores(logits, buffers.scores);
  }
  buffers.choice = buffers.scores;
  for (size_t e = 0; e < bias.size(); ++e) buffers.choice[e] += bias[e];
  if (rule.group_score != RouterRule::Groups::kNone) MaskGroups(rule, buffers);
  BestIds(buffers.choice, buffers.order, experts);
}

}  // namespace

// There are no more groups than experts.
RouterBuffers::RouterBuffers(int64_t experts)
    : scores(static_cast<size_t>(experts)),
      choice(scores.size()),
      group_scores(scores.size()),
      order(scores.size()),
      kept(scores.size()) {}

void Route(const RouterRule& rule, MatView<const float> logits, std::span<const float> bias,
           MatView<int32_t> experts, MatView<float> weights, RouterBuffers& buffers) {
  FATHOM_CHECK(experts.rows() == logits.rows() && weights.rows() == logits.rows());
  FATHOM_CHECK(experts.cols() == weights.cols() && experts.cols() <= logits.cols());
  FATHOM_CHECK(bias.empty() || static_cast<int64_t>(bias.size()) == logits.cols());
  FATHOM_CHECK(
      rule.group_score == RouterRule::Groups::kNone ||
      (rule.groups > 0 && logits.cols() % rule.groups == 0 && rule.top_groups <= rule.groups));
  for (int64_t t = 0; t < logits.rows(); ++t) {
    RouteToken(rule, logits[t], bias, buffers, experts[t]);
    WriteWeights(rule, buffers.scores, experts[t], weights[t]);
  }
}

}  // namespace fathom
