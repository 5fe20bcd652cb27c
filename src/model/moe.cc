#include "model/moe.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/math.h"
#include "model/model_weights.h"
#include "model/step.h"
#include "ops/elementwise.h"
#include "ops/mat_mul.h"
#include "ops/profile.h"
#include "ops/router.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

constexpr int64_t kRouteTokens = 16;  // one piece of work for a thread

RouterRule::Groups Groups(GroupScore score) {
  switch (score) {
    case GroupScore::kNone:
      return RouterRule::Groups::kNone;
    case GroupScore::kMax:
      return RouterRule::Groups::kMax;
    case GroupScore::kTopTwoSum:
      return RouterRule::Groups::kTopTwoSum;
  }
  FATHOM_CHECK(false);
}

RouterRule Rule(const MoeConfig& moe) {
  return {.scores = moe.scoring == Scoring::kSigmoid ? RouterRule::Scores::kSigmoid
                                                     : RouterRule::Scores::kSoftmax,
          .group_score = Groups(moe.group_score),
          .groups = moe.groups,
          .top_groups = moe.top_groups,
          .normalize = moe.normalize,
          .scale = moe.scale};
}

void AddScaled(float scale, std::span<const float> x, std::span<float> sum) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += scale * x[i];
}

}  // namespace

MoeMlp::MoeMlp(const ModelConfig& config) : moe_(*config.moe), rule_(Rule(*config.moe)) {}

void MoeMlp::Forward(const Step& step, int64_t layer, const MoeWeights& weights,
                     MatView<const float> x, MatView<float> out) {
  ChooseExperts(step, weights, x);
  if (step.trace != nullptr) {
    step.trace->Routing(layer, std::as_const(chosen_).view(),
                        std::as_const(chosen_weights_).view());
  }
  GatherInputs(step, x);
  RunExperts(step, weights, x, out);
  Combine(step, weights.shared.has_value(), out);
}

void MoeMlp::ChooseExperts(const Step& step, const MoeWeights& weights, MatView<const float> x) {
  const ProfiledPart part(step.compute, "moe: router");
  const int64_t n = x.rows();
  router_logits_.Resize(n, moe_.routed_experts);
  chosen_.Resize(n, moe_.experts_per_token);
  chosen_weights_.Resize(n, moe_.experts_per_token);
  const MatMulTask logits{x, &weights.router, router_logits_.view()};
  MatMul(step.compute, {&logits, 1});
  while (static_cast<int>(router_buffers_.size()) < step.compute.pool->threads()) {
    router_buffers_.emplace_back(moe_.routed_experts);
  }
  const int64_t slices = CeilDiv(n, kRouteTokens);
  step.compute.pool->ParallelFor(slices, [&](int64_t slice, int thread) {
    const int64_t first = slice * kRouteTokens;
    const int64_t count = std::min(kRouteTokens, n - first);
    Route(rule_, router_logits_.view().Rows(first, count), weights.choice_bias,
          chosen_.view().Rows(first, count), chosen_weights_.view().Rows(first, count),
          router_buffers_[static_cast<size_t>(thread)]);
  });
}

// A counting sort: slots go by expert, within one expert by token.
void MoeMlp::SortByExpert() {
  const MatView<const int32_t> chosen = std::as_const(chosen_).view();
  begin_.assign(static_cast<size_t>(moe_.routed_experts) + 1, 0);
  for (int64_t token = 0; token < chosen.rows(); ++token) {
    for (const int32_t expert : chosen[token]) ++begin_[static_cast<size_t>(expert) + 1];
  }
  for (size_t e = 1; e < begin_.size(); ++e) begin_[e] += begin_[e - 1];

  // Handing out the slots moves each expert's begin to its end, which is its successor's begin.
  slot_.Resize(chosen.rows(), chosen.cols());
  for (int64_t token = 0; token < chosen.rows(); ++token) {
    for (int64_t j = 0; j < chosen.cols(); ++j) {
      slot_[token][static_cast<size_t>(j)] =
          begin_[static_cast<size_t>(chosen[token][static_cast<size_t>(j)])]++;
    }
  }
  std::copy_backward(begin_.begin(), begin_.end() - 1, begin_.end());
  begin_[0] = 0;
}

void MoeMlp::GatherInputs(const Step& step, MatView<const float> x) {
  const ProfiledPart part(step.compute, "moe: gather");
  SortByExpert();
  slots_.Resize(slot_.rows() * slot_.cols(), x.cols());
  step.compute.pool->ParallelFor(x.rows(), [&](int64_t token, int) {
    for (const int64_t slot : slot_[token]) {
      std::copy(x[token].begin(), x[token].end(), slots_[slot].begin());
    }
  });
}

// The routed experts on their slots and the shared expert on all tokens, as one list of work for
// each half of the MLP. Results: slots_ and shared_out.
void MoeMlp::RunExperts(const Step& step, const MoeWeights& weights, MatView<const float> x,
                        MatView<float> shared_out) {
  const ProfiledPart part(step.compute, "moe: experts");
  gate_.Resize(slots_.rows(), moe_.intermediate);
  up_.Resize(slots_.rows(), moe_.intermediate);
  const auto for_each_busy_expert = [&](auto&& body) {
    for (int64_t e = 0; e < moe_.routed_experts; ++e) {
      const int64_t first = begin_[static_cast<size_t>(e)];
      const int64_t count = begin_[static_cast<size_t>(e) + 1] - first;
      if (count > 0) body(weights.experts[static_cast<size_t>(e)], first, count);
    }
  };

  products_.clear();
  for_each_busy_expert([&](const MlpWeights& expert, int64_t first, int64_t count) {
    const MatView<const float> inputs = slots_.view().Rows(first, count);
    products_.push_back({inputs, &expert.gate, gate_.view().Rows(first, count)});
    products_.push_back({inputs, &expert.up, up_.view().Rows(first, count)});
  });
  if (weights.shared) {
    shared_gate_.Resize(x.rows(), weights.shared->gate.rows());
    shared_up_.Resize(x.rows(), weights.shared->up.rows());
    products_.push_back({x, &weights.shared->gate, shared_gate_.view()});
    products_.push_back({x, &weights.shared->up, shared_up_.view()});
  }
  MatMul(step.compute, products_);

  products_.clear();
  SiluMul(step.compute, gate_.view(), up_.view(), gate_.view());
  RoundActivations(step.compute, gate_.view());
  for_each_busy_expert([&](const MlpWeights& expert, int64_t first, int64_t count) {
    products_.push_back(
        {gate_.view().Rows(first, count), &expert.down, slots_.view().Rows(first, count)});
  });
  if (weights.shared) {
    SiluMul(step.compute, shared_gate_.view(), shared_up_.view(), shared_gate_.view());
    RoundActivations(step.compute, shared_gate_.view());
    products_.push_back({shared_gate_.view(), &weights.shared->down, shared_out});
  }
  MatMul(step.compute, products_);
}

// out[t] = sum of weight * slots_[slot], experts ascending, then the shared output already in
// out[t]. The sum is taken in the row of the first choice.
void MoeMlp::Combine(const Step& step, bool shared, MatView<float> out) {
  const ProfiledPart part(step.compute, "moe: combine");
  step.compute.pool->ParallelFor(out.rows(), [&](int64_t token, int) {
    const std::span<const int64_t> slots = slot_[token];
    const std::span<const float> weights = chosen_weights_[token];
    const std::span<float> sum = slots_[slots[0]];
    for (float& value : sum) value *= weights[0];
    for (size_t j = 1; j < slots.size(); ++j) AddScaled(weights[j], slots_[slots[j]], sum);
    if (shared) AddScaled(1, out[token], sum);
    std::copy(sum.begin(), sum.end(), out[token].begin());
  });
}

}  // namespace fathom
