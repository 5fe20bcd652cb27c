// The exact mode: float32 activations on weights as stored. The references differ among themselves
// by up to 9e-5, every known mistake moves logits by 2e-3 or more (tests/golden/README.md).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "golden_case.h"
#include "golden_testing.h"
#include "model/model.h"
#include "npy_file.h"
#include "ops/compute.h"
#include "run_model.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

constexpr double kRoutingWeightTolerance = 1e-5;  // before routed_scaling_factor
constexpr double kClearMargin = 0.01;

using GoldenFloat32 = GoldenTest;

template <typename T>
Matrix<T> Copy(MatView<const T> from) {
  Matrix<T> to(from.rows(), from.cols());
  for (int64_t r = 0; r < from.rows(); ++r) {
    std::copy(from[r].begin(), from[r].end(), to[r].begin());
  }
  return to;
}

class Recorder : public ForwardTrace {
 public:
  void Hidden(int64_t layer, MatView<const float> residual) override {
    hidden[layer] = Copy(residual);
  }
  void AttentionOut(int64_t layer, MatView<const float> out) override {
    attention[layer] = Copy(out);
  }
  void FfnOut(int64_t layer, MatView<const float> out) override { ffn[layer] = Copy(out); }
  void Routing(int64_t layer, MatView<const int32_t> chosen,
               MatView<const float> weights) override {
    experts[layer] = Copy(chosen);
    expert_weights[layer] = Copy(weights);
  }

  std::map<int64_t, Matrix<float>> hidden, attention, ffn, expert_weights;
  std::map<int64_t, Matrix<int32_t>> experts;
};

double RootMeanSquare(MatView<const float> x) {
  double sum = 0;
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (const float value : x[r]) sum += static_cast<double>(value) * value;
  }
  return std::sqrt(sum / static_cast<double>(x.rows() * x.cols()));
}

// Every layer within kLogitTolerance of the golden layer's own size.
void ExpectLayersNear(const std::map<int64_t, Matrix<float>>& layers, const std::string& file) {
  const NpyFile<float> golden = ReadFloats(file);
  ASSERT_EQ(golden.shape.size(), 3u);
  ASSERT_EQ(golden.shape[0], static_cast<int64_t>(layers.size())) << file;
  for (const auto& [layer, values] : layers) {
    const MatView<const float> expected = golden.Slice(layer);
    EXPECT_LE(MaxAbsDifference(values.view(), expected), kLogitTolerance * RootMeanSquare(expected))
        << file << " layer " << layer;
  }
}

TEST_P(GoldenFloat32, LogitsOfEveryPromptAndPosition) {
  LoadedModel loaded = Load(Activations::kFloat32);
  double worst = 0;
  for (const GoldenPrompt& prompt : golden().prompts) {
    if (prompt.logits.empty()) continue;
    const auto results = RunPrompts(loaded, {&prompt.tokens, 1}, {});
    const double difference =
        MaxAbsDifference(results[0].logits.view(), ReadFloats(prompt.logits).Slice());
    EXPECT_LE(difference, kLogitTolerance) << prompt.id;
    worst = std::max(worst, difference);
  }
  std::printf("%s: logits within %.1e\n", Label(Activations::kFloat32).c_str(), worst);
}

TEST_P(GoldenFloat32, EveryLayerInside) {
  if (golden().DetailFile("hidden").empty()) GTEST_SKIP() << "left out of the compact copy";
  LoadedModel loaded = Load(Activations::kFloat32);
  Recorder trace;
  const std::vector<int32_t>& tokens = golden().Prompt(golden().detail_prompt).tokens;
  RunPrompts(loaded, {&tokens, 1}, {}, &trace);
  ExpectLayersNear(trace.hidden, golden().DetailFile("hidden"));
  ExpectLayersNear(trace.attention, golden().DetailFile("attn_out"));
  ExpectLayersNear(trace.ffn, golden().DetailFile("ffn_out"));
}

TEST_P(GoldenFloat32, RoutingChoosesTheSameExpertsWithTheSameWeights) {
  if (golden().first_moe_layer < 0) GTEST_SKIP() << "the model does not route";
  LoadedModel loaded = Load(Activations::kFloat32);
  Recorder trace;
  const std::vector<int32_t>& tokens = golden().Prompt(golden().detail_prompt).tokens;
  RunPrompts(loaded, {&tokens, 1}, {}, &trace);

  const NpyFile<int32_t> experts = ReadInts(golden().DetailFile("routing_experts"));
  const NpyFile<float> weights = ReadFloats(golden().DetailFile("routing_weights"));
  const double tolerance =
      kRoutingWeightTolerance * std::max(1.0, loaded.model->config().moe->scale);
  ASSERT_EQ(experts.shape[0], static_cast<int64_t>(trace.experts.size()));
  for (const auto& [layer, chosen] : trace.experts) {
    const int64_t index = layer - golden().first_moe_layer;
    const MatView<const int32_t> expected = experts.Slice(index);
    for (int64_t token = 0; token < chosen.rows(); ++token) {
      EXPECT_TRUE(std::ranges::equal(chosen[token], expected[token]))
          << "layer " << layer << " token " << token;
    }
    EXPECT_LE(MaxAbsDifference(trace.expert_weights[layer].view(), weights.Slice(index)), tolerance)
        << "layer " << layer;
  }
}

TEST_P(GoldenFloat32, GreedyContinuationsWhereTheMarginIsClear) {
  LoadedModel loaded = Load(Activations::kFloat32);
  for (const GoldenGreedy& run : golden().greedy) {
    size_t clear = 0;
    while (clear < run.margin.size() && run.margin[clear] >= kClearMargin) ++clear;
    const auto tokens =
        ContinueGreedily(loaded, golden().Prompt(run.prompt).tokens, static_cast<int64_t>(clear));
    EXPECT_EQ(tokens, std::vector<int32_t>(run.tokens.begin(),
                                           run.tokens.begin() + static_cast<int64_t>(clear)))
        << run.prompt;
  }
}

TEST_P(GoldenFloat32, MtpLogits) {
  if (golden().mtp.empty()) GTEST_SKIP() << "the model has no MTP layer";
  LoadedModel loaded = Load(Activations::kFloat32);
  double worst = 0;
  for (const GoldenMtp& run : golden().mtp) {
    if (run.postnorm.empty()) continue;
    const auto results = RunPrompts(loaded, {&golden().Prompt(run.prompt).tokens, 1}, {});
    const double difference =
        MaxAbsDifference(results[0].mtp.view(), ReadFloats(run.postnorm).Slice());
    EXPECT_LE(difference, kLogitTolerance) << run.prompt;
    worst = std::max(worst, difference);
  }
  std::printf("%s: MTP logits within %.1e\n", Label(Activations::kFloat32).c_str(), worst);
}

// Row i of the MTP layer predicts token i + 2, so the draft of generated token j comes from row
// prompt + j - 2.
TEST_P(GoldenFloat32, MtpDraftsOfTheGreedyContinuations) {
  if (golden().mtp.empty()) GTEST_SKIP() << "the model has no MTP layer";
  LoadedModel loaded = Load(Activations::kFloat32);
  for (const GoldenGreedy& run : golden().greedy) {
    std::vector<int32_t> tokens = golden().Prompt(run.prompt).tokens;
    const auto first_row = static_cast<int64_t>(tokens.size()) - 1;
    tokens.insert(tokens.end(), run.tokens.begin(), run.tokens.end());
    const auto results = RunPrompts(loaded, {&tokens, 1}, {});
    ASSERT_EQ(run.mtp_draft_postnorm.size(), run.tokens.size() - 1);
    for (size_t j = 0; j < run.mtp_draft_postnorm.size(); ++j) {
      const auto row = results[0].mtp[first_row + static_cast<int64_t>(j)];
      const auto expected = static_cast<size_t>(run.mtp_draft_postnorm[j]);
      // golden.json keeps no margin of drafts: a runner-up within the error is as good.
      EXPECT_LE(row[static_cast<size_t>(ArgMax(row))] - row[expected], kClearMargin)
          << run.prompt << " draft " << j;
    }
  }
}

// For information: an engine that rounds FP8 weights to bfloat16 would agree with these instead.
TEST_P(GoldenFloat32, DistanceToWeightsRoundedToBfloat16) {
  const std::string file = golden().DetailFile("logits_bf16_weights");
  if (file.empty()) GTEST_SKIP() << "the weights are not FP8, or left out of the compact copy";
  LoadedModel loaded = Load(Activations::kFloat32);
  const auto results = RunPrompts(loaded, {&golden().Prompt(golden().detail_prompt).tokens, 1}, {});
  const double difference = MaxAbsDifference(results[0].logits.view(), ReadFloats(file).Slice());
  EXPECT_GT(difference, 10 * kLogitTolerance) << "weights are rounded to bfloat16 somewhere";
  std::printf("%s: %.1e from logits of bfloat16 weights\n", Label(Activations::kFloat32).c_str(),
              difference);
}

FATHOM_GOLDEN_SUITE(GoldenFloat32);

}  // namespace
}  // namespace fathom
