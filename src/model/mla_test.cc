#include "model/mla.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/thread_pool.h"
#include "io/memory_file_system_testing.h"
#include "model/kv_cache.h"
#include "model/loader.h"
#include "model/model_weights.h"
#include "model/step.h"
#include "ops/compute.h"
#include "ops/packed_matrix.h"
#include "ops/weights_testing.h"
#include "spec/config_testing.h"
#include "spec/model_config.h"
#include "spec/weight_format.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"
#include "tensor/same_bits_testing.h"
#include "weights/checkpoint.h"
#include "weights/checkpoint_testing.h"

namespace fathom {
namespace {

constexpr int64_t kTokens = 3;

// Attention with random weights, and keys that have no rotated part: all that is left of the inputs
// then goes through one of the two latent norms.
class MlaTest : public testing::Test {
 protected:
  MlaTest() : config_(ParsedConfig(TinyDeepseekV3ConfigJson())) {
    MemoryFileSystem files;
    WriteRandomCheckpoint(files, "m", TinyDeepseekV3ConfigJson());
    NoProgress progress;
    weights_ = std::move(
        *LoadWeights(*Checkpoint::Open(files, "m"), WeightFormat::kAuto, false, compute_, progress)
             ->layers[0]
             .mla);
    OwnedWeight kv_a = RandomWeight(
        DType::kF32, config_.mla->kv_lora_rank + config_.mla->qk_rope_head_dim, config_.hidden, 1);
    std::fill(kv_a.codes.begin() + config_.mla->kv_lora_rank * config_.hidden * 4, kv_a.codes.end(),
              std::byte{0});
    weights_.kv_a = PackedMatrix::FromRows(kv_a.stored, 0, kv_a.stored.rows);
  }

  // The output for `factor` times the same inputs.
  Matrix<float> Run(double latent_norm_eps, float factor) {
    config_.latent_norm_eps = latent_norm_eps;
    Matrix<float> x = RandomActivations(kTokens, config_.hidden, 2);
    for (int64_t i = 0; i < x.rows() * x.cols(); ++i) x.data()[i] *= factor;
    KvCache cache(config_, false, DType::kF32, 1, kTokens);
    const std::vector<int32_t> positions = {0, 1, 2};
    const std::vector<int32_t> sequences = {0, 0, 0};
    const std::vector<std::vector<int32_t>> tables = {{0}};
    StepRotations rotations(config_.rope);
    rotations.Fill(positions);
    Matrix<float> out(kTokens, config_.hidden);
    MlaAttention(config_).Forward({.compute = compute_,
                                   .cache = cache,
                                   .positions = positions,
                                   .sequences = sequences,
                                   .block_tables = tables,
                                   .cos = rotations.cos(),
                                   .sin = rotations.sin()},
                                  0, weights_, x.view(), out.view());
    return out;
  }

  ThreadPool pool_{1};
  const Compute compute_{.pool = &pool_};
  ModelConfig config_;
  MlaWeights weights_;
};

// 2c / sqrt(mean((2c)^2) + 4 eps) = c / sqrt(mean(c^2) + eps), and factors of two are exact. So
// twice the inputs under four times the epsilon give the same bits, if nothing but this epsilon is
// in the two norms. The other one is as large, so that each would be seen in place of the other.
TEST_F(MlaTest, TheLatentEpsilonAndNoOtherIsInBothLatentNorms) {
  config_.rms_norm_eps = 0.125;
  const Matrix<float> out = Run(0.5, 1);
  EXPECT_TRUE(SameBits(Run(2, 2).view(), out.view()));
  EXPECT_FALSE(SameBits(Run(2, 1).view(), out.view()));
}

}  // namespace
}  // namespace fathom
