// Linear weights held in another format than the checkpoint's.

#include "spec/weight_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "golden_case.h"
#include "golden_testing.h"
#include "npy_file.h"
#include "ops/compute.h"
#include "run_model.h"
#include "tensor/mat_view.h"
#include "tensor/same_bits_testing.h"

namespace fathom {
namespace {

// What eight bits cost. Rounding to 127 steps of the largest value of a row, which is 4 to 5 times
// its root mean square, is a noise of 5 / 127 / sqrt(12) = 1.1 % of the row, in weights and
// activations alike: 1.6 % a product. A layer has five products one behind the other (q_a, q_b, o;
// gate and up, down), and there is the head. This is for the median token: where a near tie sends a
// token to another expert it is further off, and a mean would say nothing.
double W8A8Noise(int64_t layers) { return 0.016 * std::sqrt(static_cast<double>(5 * layers + 1)); }

using GoldenWeightFormat = GoldenTest;

// Root mean square of a - b over that of b.
double RelativeError(std::span<const float> a, std::span<const float> b) {
  double error = 0;
  double size = 0;
  for (size_t c = 0; c < b.size(); ++c) {
    error += std::pow(static_cast<double>(a[c]) - b[c], 2);
    size += std::pow(static_cast<double>(b[c]), 2);
  }
  return std::sqrt(error / size);
}

TEST_P(GoldenWeightFormat, TheMedianTokenOfW8A8IsAsFarOffAsEightBitsAre) {
  LoadedModel loaded = Load(Activations::kFloat32, 1, WeightFormat::kW8A8);
  std::vector<double> errors;
  for (const GoldenPrompt& prompt : golden().prompts) {
    if (prompt.logits.empty()) continue;
    const auto results = RunPrompts(loaded, {&prompt.tokens, 1}, {});
    const NpyFile<float> file = ReadFloats(prompt.logits);
    const MatView<const float> expected = file.Slice();
    for (int64_t t = 0; t < expected.rows(); ++t) {
      errors.push_back(RelativeError(results[0].logits[t], expected[t]));
    }
  }
  ASSERT_FALSE(errors.empty());
  std::ranges::sort(errors);
  const double median = errors[errors.size() / 2];
  EXPECT_LE(median, W8A8Noise(loaded.model->config().layers));
  EXPECT_GT(median, 1e-3) << "nothing was quantised";
  std::printf("%s w8a8: the median token is %.1f %% off\n", Label(Activations::kFloat32).c_str(),
              100 * median);
}

TEST_P(GoldenWeightFormat, W8A8HasTheSameBitsForEverySchedule) {
  LoadedModel loaded = Load(Activations::kBfloat16, 2, WeightFormat::kW8A8);
  std::vector<std::vector<int32_t>> prompts;
  for (const GoldenPrompt& prompt : golden().prompts) {
    if (prompt.tokens.size() <= 65) prompts.push_back(prompt.tokens);
  }
  const auto whole = RunPrompts(loaded, prompts, {});
  for (const Schedule& schedule :
       {Schedule{.chunk_tokens = 1}, Schedule{.chunk_tokens = 7, .together = true}}) {
    const auto parts = RunPrompts(loaded, prompts, schedule);
    for (size_t i = 0; i < prompts.size(); ++i) {
      EXPECT_TRUE(SameBits(parts[i].logits.view(), whole[i].logits.view())) << i;
      EXPECT_TRUE(SameBits(parts[i].mtp.view(), whole[i].mtp.view())) << i;
    }
  }
}

// bf16(fp8 * scale_inv), as DeepSeek's own converter makes it.
TEST_P(GoldenWeightFormat, Fp8AsBf16GivesTheLogitsOfConvertedWeights) {
  const std::string file = golden().DetailFile("logits_bf16_weights");
  if (file.empty()) GTEST_SKIP() << "the weights are not FP8, or left out of the compact copy";
  LoadedModel loaded = Load(Activations::kFloat32, 1, WeightFormat::kBf16);
  const auto results = RunPrompts(loaded, {&golden().Prompt(golden().detail_prompt).tokens, 1}, {});
  EXPECT_LE(MaxAbsDifference(results[0].logits.view(), ReadFloats(file).Slice()), kLogitTolerance);
}

TEST_P(GoldenWeightFormat, AStepAllocatesNothingOnceItIsWarm) {
  LoadedModel loaded = Load(Activations::kBfloat16, 1, WeightFormat::kW8A8);
  const StepAllocations step = AllocationsOf(loaded, golden().prompts.back().tokens, 0);
  EXPECT_EQ(step.again, 0);
}

FATHOM_GOLDEN_SUITE(GoldenWeightFormat);

}  // namespace
}  // namespace fathom
