// bfloat16 activations. Random networks flip experts at near-ties, and one flip moves logits by
// several units, so only positions with a safe routing margin count, and the error is held against
// that of the references' own bfloat16 runs.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "golden_case.h"
#include "golden_testing.h"
#include "npy_file.h"
#include "ops/compute.h"
#include "run_model.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

using GoldenBfloat16 = GoldenTest;

constexpr double kMeanFactor = 1.5;
constexpr double kTop1Slack = 0.02;
constexpr size_t kShortestPrompt = 48;  // golden.json's figures are over prompts of 48 and more

struct Agreement {
  int64_t positions = 0;
  int64_t same_top1 = 0;
  int64_t values = 0;
  double sum_abs = 0;

  void AddPosition(std::span<const float> logits, std::span<const float> golden) {
    ++positions;
    if (ArgMax(logits) == ArgMax(golden)) ++same_top1;
    values += static_cast<int64_t>(logits.size());
    for (size_t i = 0; i < logits.size(); ++i) {
      sum_abs += std::abs(static_cast<double>(logits[i]) - golden[i]);
    }
  }
  double mean_abs() const { return sum_abs / static_cast<double>(values); }
  double top1() const { return static_cast<double>(same_top1) / static_cast<double>(positions); }
};

void AddSafePositions(const GoldenPrompt& prompt, double threshold, MatView<const float> logits,
                      Agreement& agreement) {
  const NpyFile<float> golden = ReadFloats(prompt.logits);
  std::vector<float> margin(prompt.tokens.size(), 1);
  if (!prompt.routing_margin.empty()) margin = ReadFloats(prompt.routing_margin).values;
  ASSERT_EQ(margin.size(), prompt.tokens.size());
  for (int64_t i = 0; i < logits.rows(); ++i) {
    if (margin[static_cast<size_t>(i)] < threshold) continue;
    agreement.AddPosition(logits[i], golden.Slice()[i]);
  }
}

TEST_P(GoldenBfloat16, AsCloseAsTheReferencesInBfloat16) {
  LoadedModel loaded = Load(Activations::kBfloat16);
  Agreement agreement;
  for (const GoldenPrompt& prompt : golden().prompts) {
    if (prompt.logits.empty() || prompt.tokens.size() < kShortestPrompt) continue;
    const auto results = RunPrompts(loaded, {&prompt.tokens, 1}, {});
    AddSafePositions(prompt, golden().bf16.margin_threshold, results[0].logits.view(), agreement);
  }
  ASSERT_GT(agreement.positions, 0);
  std::printf("%s: mean %.4f (references %.4f), top-1 %.3f (references %.3f), %d positions\n",
              Label(Activations::kBfloat16).c_str(), agreement.mean_abs(), golden().bf16.mean_abs,
              agreement.top1(), golden().bf16.top1_agree, static_cast<int>(agreement.positions));
  EXPECT_LE(agreement.mean_abs(), kMeanFactor * golden().bf16.mean_abs);
  EXPECT_GE(agreement.top1(), golden().bf16.top1_agree - kTop1Slack);
}

FATHOM_GOLDEN_SUITE(GoldenBfloat16);

}  // namespace
}  // namespace fathom
