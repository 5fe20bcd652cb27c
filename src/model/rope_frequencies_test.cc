#include "model/rope_frequencies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/rope.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"
#include "tensor/npy_testing.h"

namespace fathom {
namespace {

// Vectors from the references' own code, described in ops/README.md of the golden data.
template <typename T>
std::vector<T> GoldenOp(const std::string& name) {
  return ReadGoldenNpy("ops/" + name + ".npy").As<T>();
}

RopeConfig DeepseekR1() {
  return {.dim = 64,
          .theta = 10000,
          .interleaved = true,
          .scaling = RopeConfig::Scaling::kYarn,
          .factor = 40,
          .original_max_positions = 4096,
          .beta_fast = 32,
          .beta_slow = 1,
          .mscale = 1,
          .mscale_all_dim = 1};
}

RopeConfig Llama3() {
  RopeConfig rope;
  rope.dim = 128;
  rope.theta = 500000;
  rope.scaling = RopeConfig::Scaling::kLlama3;
  rope.factor = 8;
  rope.original_max_positions = 8192;
  rope.low_freq_factor = 1;
  rope.high_freq_factor = 4;
  return rope;
}

void ExpectRelativelyNear(const std::vector<double>& values, const std::vector<float>& golden) {
  ASSERT_EQ(values.size(), golden.size());
  for (size_t i = 0; i < values.size(); ++i) {
    // The golden values are the references' float32 chains, up to 3.3e-7 from float64.
    EXPECT_NEAR(values[i] / golden[i], 1, 5e-7) << i;
  }
}

TEST(RopeFrequencies, YarnOfDeepseekR1MatchesTheReference) {
  const RopeFrequencies frequencies = MakeRopeFrequencies(DeepseekR1());
  ExpectRelativelyNear(frequencies.inverse, GoldenOp<float>("rope_r1_inv_freq"));
  EXPECT_EQ(frequencies.magnitude, 1);
}

TEST(RopeFrequencies, YarnOfDeepseekR1KeepsPairsBelow10AndDividesThoseFrom23On) {
  RopeConfig plain = DeepseekR1();
  plain.scaling = RopeConfig::Scaling::kNone;
  const auto scaled = MakeRopeFrequencies(DeepseekR1()).inverse;
  const auto unscaled = MakeRopeFrequencies(plain).inverse;
  EXPECT_EQ(scaled[10], unscaled[10]);
  EXPECT_LT(scaled[11], unscaled[11]);
  EXPECT_GT(scaled[22], unscaled[22] / 40);
  EXPECT_EQ(scaled[23], unscaled[23] / 40);
}

TEST(RopeFrequencies, Llama3BandsMatchTheReference) {
  const RopeFrequencies frequencies = MakeRopeFrequencies(Llama3());
  ExpectRelativelyNear(frequencies.inverse, GoldenOp<float>("rope_llama3_8b_inv_freq"));
  EXPECT_EQ(frequencies.magnitude, 1);
}

TEST(RopeFrequencies, TablesOfDeepseekR1MatchFloat64AnglesUpToPosition163839) {
  const auto positions = GoldenOp<int32_t>("rope_r1_positions");
  const auto golden_cos = GoldenOp<float>("rope_r1_cos");
  const auto golden_sin = GoldenOp<float>("rope_r1_sin");
  ASSERT_EQ(positions.size() * 32, golden_cos.size());
  const RopeFrequencies frequencies = MakeRopeFrequencies(DeepseekR1());
  Matrix<float> cos(static_cast<int64_t>(positions.size()), 32);
  Matrix<float> sin(static_cast<int64_t>(positions.size()), 32);
  RopeTables(positions, frequencies.inverse, frequencies.magnitude, cos.view(), sin.view());
  for (size_t i = 0; i < golden_cos.size(); ++i) {
    // One rounding to float32 each, and angles of at most 163839 in float64: 163839 * 2^-52.
    EXPECT_NEAR(cos.data()[i], golden_cos[i], 1.2e-7) << i;
    EXPECT_NEAR(sin.data()[i], golden_sin[i], 1.2e-7) << i;
  }
}

TEST(RopeFrequencies, PlainFrequenciesArePowersOfTheta) {
  RopeConfig rope;
  rope.dim = 4;
  rope.theta = 10000;
  EXPECT_EQ(MakeRopeFrequencies(rope).inverse, (std::vector<double>{1, 0.01}));
}

TEST(RopeFrequencies, YarnWithoutMscaleStretchesTheTablesInstead) {
  RopeConfig rope = DeepseekR1();
  rope.mscale_all_dim = 0;  // as Qwen2 configurations with YaRN have it
  EXPECT_DOUBLE_EQ(MakeRopeFrequencies(rope).magnitude, 0.1 * std::log(40.0) + 1);
}

TEST(RopeFrequencies, YarnRampOfNoWidthIsAStep) {
  RopeConfig rope = DeepseekR1();
  rope.dim = 4;
  rope.original_max_positions = 1;  // all pairs turn less than once: low and high are both 0
  const auto inverse = MakeRopeFrequencies(rope).inverse;
  EXPECT_EQ(inverse[0], 1);
  EXPECT_DOUBLE_EQ(inverse[1], 0.01 / 40);
}

ModelConfig MlaModel(double mscale_all_dim) {
  ModelConfig config;
  config.rope = DeepseekR1();
  config.rope.mscale = mscale_all_dim;
  config.rope.mscale_all_dim = mscale_all_dim;
  config.mla = MlaConfig{.q_lora_rank = {},
                         .kv_lora_rank = 512,
                         .qk_nope_head_dim = 128,
                         .qk_rope_head_dim = 64,
                         .v_head_dim = 128};
  return config;
}

TEST(SoftmaxScale, SquaresTheMagnitudeOfYarn) {
  // Constants of the references, tests/golden/ops/ops.json.
  EXPECT_NEAR(SoftmaxScale(MlaModel(1)), 0.1352337788608801, 1e-15);
  EXPECT_NEAR(SoftmaxScale(MlaModel(0.707)), 0.11472138679292611, 1e-15);
}

TEST(SoftmaxScale, IsTheRootOfTheKeyWidthWithoutYarn) {
  ModelConfig config = MlaModel(1);
  config.rope.scaling = RopeConfig::Scaling::kNone;
  EXPECT_DOUBLE_EQ(SoftmaxScale(config), 1 / std::sqrt(192.0));
  config.mla.reset();
  config.gqa = GqaConfig{.kv_heads = 1, .head_dim = 64, .qkv_bias = false};
  EXPECT_DOUBLE_EQ(SoftmaxScale(config), 0.125);
}

}  // namespace
}  // namespace fathom
