#include "model/loader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "io/file_system.h"
#include "io/memory_file_system_testing.h"
#include "ops/compute.h"
#include "ops/packed_matrix.h"
#include "spec/config_testing.h"
#include "spec/weight_format.h"
#include "tensor/dtype.h"
#include "tensor/float_codec.h"
#include "weights/checkpoint.h"
#include "weights/checkpoint_testing.h"

namespace fathom {
namespace {

class CountingProgress : public Progress {
 public:
  void Begin(int number, int phases, std::string_view name, int64_t total_bytes) override {
    begun += Format("[{}/{}] {} ", number, phases, name);
    total = total_bytes;
  }
  void Advance(int64_t bytes) override { done += bytes; }
  void End() override { ++ended; }

  std::string begun;
  int64_t total = 0;
  std::atomic<int64_t> done = 0;
  int ended = 0;
};

// A tiny model in the folder "m", and what is needed to load it.
class LoaderTest : public testing::Test {
 protected:
  void Write(std::string_view config_json, RandomCheckpointOptions options = {}) {
    WriteRandomCheckpoint(files_, "m", config_json, options);
  }
  Checkpoint Open() {
    auto checkpoint = Checkpoint::Open(files_, "m");
    EXPECT_TRUE(checkpoint.ok()) << checkpoint.error().ToString();
    return std::move(checkpoint).value();
  }
  // Overwrites bytes of a tensor's data.
  void Patch(const std::string& name, int64_t first_byte, std::string_view bytes) {
    const Checkpoint checkpoint = Open();
    const TensorInfo& tensor = *checkpoint.Find(name);
    const std::string path = JoinPath("m", checkpoint.FileOf(tensor));
    std::string content = files_.Get(path);
    content.replace(static_cast<size_t>(tensor.offset + first_byte), bytes.size(), bytes);
    files_.Put(path, content);
  }
  std::string LoadError(bool mtp = false) {
    const Checkpoint checkpoint = Open();
    const auto weights = LoadWeights(checkpoint, WeightFormat::kAuto, mtp, compute_, progress_);
    return weights.ok() ? "loaded" : weights.error().ToString();
  }

  MemoryFileSystem files_;
  ThreadPool pool_{3};
  const Compute compute_{.pool = &pool_};
  CountingProgress progress_;
};

TEST_F(LoaderTest, ReadsEveryWeightOnceAndTellsHowFarItIs) {
  Write(TinyDeepseekV2ConfigJson(), {.seed = 1, .max_shard_bytes = 100'000});
  const Checkpoint checkpoint = Open();
  const int64_t before = files_.bytes_read();
  const auto weights = LoadWeights(checkpoint, WeightFormat::kAuto, false, compute_, progress_);
  ASSERT_TRUE(weights.ok()) << weights.error().ToString();
  EXPECT_EQ(progress_.begun, "[1/1] reading weights ");
  EXPECT_EQ(progress_.done, progress_.total);
  EXPECT_EQ(progress_.ended, 1);
  EXPECT_EQ(files_.bytes_read() - before, checkpoint.total_bytes());
}

// The loader names tensors that the catalogue names too: none of a checkpoint is left unread.
TEST_F(LoaderTest, ReadsEveryTensorOfTheCatalogue) {
  // Without its FP8 blocks: a head's rows that share one with the next head are read for both.
  std::string v3(TinyDeepseekV3ConfigJson());
  const size_t fp8 = v3.find("\"quantization_config\"");
  v3.erase(fp8, v3.find("},", fp8) + 2 - fp8);
  for (const std::string& config :
       {v3, std::string(TinyDeepseekV2ConfigJson()), std::string(TinyQwen2ConfigJson()),
        std::string(TinyLlamaConfigJson())}) {
    files_ = MemoryFileSystem();
    Write(config);
    const Checkpoint checkpoint = Open();
    const int64_t before = files_.bytes_read();
    const bool mtp = checkpoint.config().mtp_layers > 0;
    const auto weights = LoadWeights(checkpoint, WeightFormat::kAuto, mtp, compute_, progress_);
    ASSERT_TRUE(weights.ok()) << weights.error().ToString();
    EXPECT_EQ(files_.bytes_read() - before, checkpoint.total_bytes());
  }
}

TEST_F(LoaderTest, LeavesTheMtpLayerOutUnlessAskedFor) {
  Write(TinyDeepseekV3ConfigJson());
  const Checkpoint checkpoint = Open();
  const auto without = LoadWeights(checkpoint, WeightFormat::kAuto, false, compute_, progress_);
  const auto with = LoadWeights(checkpoint, WeightFormat::kAuto, true, compute_, progress_);
  ASSERT_TRUE(without.ok() && with.ok());
  EXPECT_FALSE(without->mtp);
  EXPECT_TRUE(with->mtp);
}

TEST_F(LoaderTest, ATiedHeadIsTheEmbeddingItself) {
  Write(TinyQwen2ConfigJson());
  const Checkpoint checkpoint = Open();
  const auto weights = LoadWeights(checkpoint, WeightFormat::kAuto, false, compute_, progress_);
  ASSERT_TRUE(weights.ok());
  EXPECT_EQ(&weights->Head(), &weights->embedding);
}

TEST_F(LoaderTest, WeightsThatAreNotNumbersAreNamed) {
  struct Row {
    const char* tensor;
    int64_t byte;
    std::string_view code;  // little-endian
    const char* what;
  };
  const Row rows[] = {
      {"model.embed_tokens.weight", 2 * (136 * 2 + 5), std::string_view("\x80\x7f", 2),
       "element [2, 5] of BF16 [97, 136] is inf, not a finite number"},
      {"model.layers.0.self_attn.kv_b_proj.weight", 64 * 50 + 3, "\xff",
       "element [50, 3] of F8_E4M3 [132, 64] is -nan, not a finite number"},
      {"model.layers.1.mlp.experts.7.down_proj.weight", 71, "\x7f",
       "element [0, 71] of F8_E4M3 [136, 72] is nan, not a finite number"},
      {"model.layers.2.input_layernorm.weight", 2 * 9, std::string_view("\x80\xff", 2),
       "element [9] of BF16 [136] is -inf, not a finite number"},
      {"model.layers.0.self_attn.o_proj.weight_scale_inv", 0, std::string_view("\0\0\xc0\x7f", 4),
       "element [0, 0] of F32 [2, 1] is nan, not a finite number"},
  };
  Write(TinyDeepseekV3ConfigJson());
  const std::string intact = files_.Get("m/model.safetensors");
  for (const Row& row : rows) {
    files_.Put("m/model.safetensors", intact);
    Patch(row.tensor, row.byte, row.code);
    EXPECT_EQ(LoadError(),
              Format("error: {}\n  where: m/model.safetensors: {}\n  fix: the file is damaged or "
                     "was converted wrongly; fetch or convert it again\n",
                     row.what, row.tensor));
  }
}

TEST_F(LoaderTest, AReadThatFailsNamesFileAndTensor) {
  Write(TinyLlamaConfigJson());
  const Checkpoint checkpoint = Open();
  const TensorInfo& tensor = *checkpoint.Find("model.layers.1.mlp.up_proj.weight");
  files_.FailReadsAt("m/model.safetensors", tensor.offset + 17);
  const std::string error = LoadError();
  EXPECT_NE(error.find("where: m/model.safetensors: model.layers.1.mlp.up_proj.weight\n"),
            std::string::npos)
      << error;
}

// Matrices are read in the order of their places: all bytes but the last one's are done.
TEST_F(LoaderTest, WhatCannotBeReadIsNotCountedAsDone) {
  Write(TinyLlamaConfigJson());
  const Checkpoint checkpoint = Open();
  const TensorInfo* last = nullptr;
  for (const TensorInfo& tensor : checkpoint.tensors()) {
    if (tensor.shape.size() != 2) continue;
    if (last == nullptr || tensor.offset > last->offset) last = &tensor;
  }
  files_.FailReadsAt("m/model.safetensors", last->offset);
  ThreadPool one(1);
  EXPECT_FALSE(LoadWeights(Open(), WeightFormat::kAuto, false, {.pool = &one}, progress_).ok());
  EXPECT_EQ(progress_.done, progress_.total - last->bytes);
}

TEST_F(LoaderTest, ChecksAllTensorsBeforeItReadsAny) {
  Write(TinyLlamaConfigJson());
  std::string config(TinyLlamaConfigJson());
  const std::string_view layers = "\"num_hidden_layers\": ";
  config.replace(config.find(layers) + layers.size(), 1, "7");
  files_.Put("m/config.json", config);
  const Checkpoint checkpoint = Open();
  const int64_t before = files_.bytes_read();
  const auto weights = LoadWeights(checkpoint, WeightFormat::kAuto, false, compute_, progress_);
  ASSERT_FALSE(weights.ok());
  EXPECT_NE(weights.error().what.find("45 missing"), std::string::npos)
      << weights.error().ToString();
  EXPECT_EQ(files_.bytes_read(), before);
  EXPECT_EQ(progress_.begun, "");
}

TEST_F(LoaderTest, AModelWithoutMtpLayerCannotLoadOne) {
  Write(TinyLlamaConfigJson());
  EXPECT_EQ(LoadError(true),
            "error: the model has 0 multi-token prediction layers, exactly 1 is supported\n"
            "  where: m/config.json: /num_nextn_predict_layers\n"
            "  fix: run without multi-token prediction\n");
}

// A row of I8 is at most half a step off, a step being the row's largest / 127; BF16 is a rounding.
TEST_F(LoaderTest, LinearWeightsAreConvertedAsTheyAreRead) {
  Write(TinyDeepseekV3ConfigJson());
  const Checkpoint checkpoint = Open();
  const auto stored = LoadWeights(checkpoint, WeightFormat::kAuto, false, compute_, progress_);
  const auto int8 = LoadWeights(checkpoint, WeightFormat::kW8A8, false, compute_, progress_);
  const auto bf16 = LoadWeights(checkpoint, WeightFormat::kBf16, false, compute_, progress_);
  ASSERT_TRUE(stored.ok() && int8.ok() && bf16.ok());
  const PackedMatrix& from = stored->layers[0].mla->o;
  const PackedMatrix& to8 = int8->layers[0].mla->o;
  const PackedMatrix& to16 = bf16->layers[0].mla->o;
  ASSERT_EQ(to8.dtype(), DType::kI8);
  ASSERT_EQ(to16.dtype(), DType::kBF16);
  std::vector<float> a(static_cast<size_t>(from.cols()));
  std::vector<float> b = a;
  std::vector<float> c = a;
  for (int64_t r = 0; r < from.rows(); ++r) {
    from.CopyRow(r, a);
    to8.CopyRow(r, b);
    to16.CopyRow(r, c);
    const float largest =
        std::fabs(*std::ranges::max_element(a, {}, [](float value) { return std::fabs(value); }));
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_LE(std::fabs(b[i] - a[i]), largest / 127 / 2 * 1.0001F);
      EXPECT_EQ(c[i], RoundToBf16(a[i]));
    }
  }
  EXPECT_EQ(int8->embedding.dtype(), stored->embedding.dtype());
  EXPECT_EQ(int8->head->dtype(), DType::kI8);
  EXPECT_EQ(int8->layers.back().moe->router.dtype(), stored->layers.back().moe->router.dtype());
  EXPECT_EQ(int8->layers[0].mla->w_uk[0].dtype(), DType::kF8E4M3);
  EXPECT_EQ(bf16->layers[0].mla->w_uk[0].dtype(), DType::kBF16);
}

}  // namespace
}  // namespace fathom
