#include "model/kv_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "ops/attention.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"
#include "tensor/float_codec.h"

namespace fathom {
namespace {

ModelConfig MlaModel() {
  ModelConfig config;
  config.layers = 61;
  config.mtp_layers = 1;
  config.heads = 128;
  config.mla = MlaConfig{.q_lora_rank = 1536,
                         .kv_lora_rank = 512,
                         .qk_nope_head_dim = 128,
                         .qk_rope_head_dim = 64,
                         .v_head_dim = 128};
  return config;
}

ModelConfig GqaModel() {
  ModelConfig config;
  config.layers = 3;
  config.heads = 4;
  config.gqa = GqaConfig{.kv_heads = 2, .head_dim = 4, .qkv_bias = false};
  return config;
}

// Element `index` of row `position` as Attention's contract finds it.
template <typename T>
T Element(const KvRows& rows, int64_t position, int64_t index) {
  const int64_t block = rows.blocks[static_cast<size_t>(position / rows.block_tokens)];
  const int64_t row = block * rows.block_tokens + position % rows.block_tokens;
  T value;
  std::memcpy(&value, rows.base + (row * rows.row_width + index) * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

TEST(KvCache, BlockBytesOfDeepseekR1AreThoseOfMemoryArithmetic) {
  // 61 layers of 576 BF16 values: 70,272 bytes a token; with the MTP layer 71,424.
  EXPECT_EQ(KvCache::BlockBytes(MlaModel(), false, DType::kBF16, 128), 8'994'816);
  EXPECT_EQ(KvCache::BlockBytes(MlaModel(), true, DType::kBF16, 1), 71'424);
  EXPECT_EQ(KvCache::BlockBytes(MlaModel(), false, DType::kF32, 1), 2 * 70'272);
}

TEST(KvCache, BlockBytesOfGroupedQueryAttentionHoldKeysAndValues) {
  EXPECT_EQ(KvCache::BlockBytes(GqaModel(), false, DType::kF32, 16), 3 * 16 * (2 * 2 * 4) * 4);
}

TEST(KvCache, RowsAreFoundThroughTheBlockTable) {
  KvCache cache(GqaModel(), false, DType::kF32, 3, 2);
  EXPECT_EQ(cache.bytes(), 3 * KvCache::BlockBytes(GqaModel(), false, DType::kF32, 2));
  const std::vector<int32_t> a = {2, 0};
  const std::vector<int32_t> b = {1};
  for (int position = 0; position < 4; ++position) {
    for (int layer = 0; layer < 3; ++layer) {
      const float value = static_cast<float>(100 * layer + position);
      cache.Write(layer, a, position, 0, std::vector<float>(8, value));
      cache.Write(layer, a, position, 8, std::vector<float>(8, -value));
    }
  }
  cache.Write(1, b, 1, 15, std::vector<float>{7});
  for (int layer = 0; layer < 3; ++layer) {
    for (int position = 0; position < 4; ++position) {
      const float value = static_cast<float>(100 * layer + position);
      EXPECT_EQ(Element<float>(cache.Rows(layer, a), position, 0), value);
      EXPECT_EQ(Element<float>(cache.Rows(layer, a), position, 15), -value);
    }
  }
  EXPECT_EQ(Element<float>(cache.Rows(1, b), 1, 15), 7);
}

TEST(KvCache, Bfloat16RowsAreRoundedToNearestEven) {
  KvCache cache(GqaModel(), false, DType::kBF16, 1, 2);
  const std::vector<int32_t> blocks = {0};
  // 1 + 2^-8 lies between 1 and 1 + 2^-7: a tie, to even; 1 + 3 * 2^-8 is one too.
  const std::vector<float> values = {1 + 0x1p-8F, 1 + 0x3p-8F, -3};
  cache.Write(2, blocks, 1, 4, values);
  EXPECT_EQ(ToFloat(Element<Bf16>(cache.Rows(2, blocks), 1, 4)), 1);
  EXPECT_EQ(ToFloat(Element<Bf16>(cache.Rows(2, blocks), 1, 5)), 1 + 0x1p-6F);
  EXPECT_EQ(ToFloat(Element<Bf16>(cache.Rows(2, blocks), 1, 6)), -3);
}

// A block's rows in all layers, through a table that has the block alone.
std::vector<float> Contents(KvCache& cache, int32_t block) {
  const std::vector<int32_t> table{block};
  std::vector<float> values;
  for (int64_t layer = 0; layer < 3; ++layer) {
    for (int64_t i = 0; i < 2 * 16; ++i) {
      values.push_back(Element<float>(cache.Rows(layer, table), i / 16, i % 16));
    }
  }
  return values;
}

TEST(KvCache, CopiesBlocksInAllLayers) {
  KvCache cache(GqaModel(), false, DType::kF32, 3, 2, /*swap_blocks=*/2);
  EXPECT_EQ(cache.bytes(), (3 + 2) * KvCache::BlockBytes(GqaModel(), false, DType::kF32, 2));
  for (int32_t block = 0; block < 3; ++block) {
    const std::vector<int32_t> table{block};
    for (int64_t layer = 0; layer < 3; ++layer) {
      for (int64_t row = 0; row < 2; ++row) {
        const auto value = static_cast<float>(100 * block + 10 * layer + row);
        cache.Write(layer, table, row, 0, std::vector<float>(16, value));
      }
    }
  }
  const std::vector<float> first = Contents(cache, 0);
  const std::vector<float> second = Contents(cache, 1);
  ASSERT_NE(first, second);
  cache.SwapOut(0, 0);
  cache.SwapOut(1, 1);
  cache.Copy(1, 0);
  EXPECT_EQ(Contents(cache, 0), second);
  EXPECT_EQ(Contents(cache, 1), second);
  cache.SwapIn(0, 2);
  EXPECT_EQ(Contents(cache, 2), first);
  cache.SwapIn(1, 2);
  EXPECT_EQ(Contents(cache, 2), second);
}

TEST(KvCacheDeathTest, PlacesOutsideAreBugs) {
  KvCache cache(GqaModel(), false, DType::kF32, 2, 2);
  const std::vector<float> row(16, 0);
  const std::vector<int32_t> blocks = {0};
  const std::vector<int32_t> beyond = {2};
  EXPECT_DEATH(cache.Write(3, blocks, 0, 0, row), "layer < layers_");
  EXPECT_DEATH(cache.Write(0, blocks, 2, 0, row), "index <");
  EXPECT_DEATH(cache.Write(0, beyond, 0, 0, row), "block < blocks_");
  EXPECT_DEATH(cache.Write(0, blocks, 0, 1, row), "row_width_");
  EXPECT_DEATH(KvCache(GqaModel(), false, DType::kF16, 1, 1), "kBF16");
}

}  // namespace
}  // namespace fathom
