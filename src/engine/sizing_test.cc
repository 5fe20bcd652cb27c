#include "engine/sizing.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

// DeepSeek-R1 as far as its cache is concerned: 576 values of BF16 in each of 61 layers, 70,272
// bytes a token, 1,124,352 bytes a block.
ModelConfig R1() {
  ModelConfig config;
  config.layers = 61;
  config.mtp_layers = 1;
  config.vocab = 129280;
  config.max_positions = 163840;
  config.mla = MlaConfig{.q_lora_rank = 1536,
                         .kv_lora_rank = 512,
                         .qk_nope_head_dim = 128,
                         .qk_rope_head_dim = 64,
                         .v_head_dim = 128};
  return config;
}
constexpr int64_t kR1Block = 16 * 61 * 576 * 2;

MemoryBudget LeftForCache(int64_t bytes, const EngineLimits& limits = {}) {
  return {.available_bytes = 700 * kGiB + WorkingBytes(R1(), limits) + bytes,
          .weight_bytes = 700 * kGiB};
}

TEST(SizeEngine, GivesEachSequenceItsLongestWhenThatFits) {
  const EngineLimits limits{
      .max_model_len = 4097, .max_num_seqs = 8, .max_num_batched_tokens = 256};
  const auto config = SizeEngine(R1(), limits, LeftForCache(100 * kGiB, limits));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->max_model_len, 4097);
  EXPECT_EQ(config->scheduler.blocks, 257 * 8);  // 4097 tokens are 256 blocks and one token
  EXPECT_EQ(config->scheduler.block_tokens, 16);
  EXPECT_EQ(config->scheduler.max_sequences, 8);
  EXPECT_EQ(config->scheduler.max_batched_tokens, 256);
  EXPECT_EQ(config->kv_dtype, DType::kBF16);
}

TEST(SizeEngine, TakesWhatIsLeftWhenNotAllLongestFit) {
  const EngineLimits limits{.max_model_len = 4096, .max_num_seqs = 64};
  const auto config = SizeEngine(R1(), limits, LeftForCache(1000 * kR1Block + 5, limits));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->scheduler.blocks, 1000);  // 256 * 64 are asked for
}

TEST(SizeEngine, WithoutALengthHalfOfTheCacheHoldsTheLongest) {
  const auto small = SizeEngine(R1(), {}, LeftForCache(1000 * kR1Block));
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->max_model_len, 500 * 16);
  EXPECT_EQ(small->scheduler.blocks, 1000);
  const auto large = SizeEngine(R1(), {.max_num_seqs = 1}, LeftForCache(100 * kGiB));
  ASSERT_TRUE(large.ok());
  EXPECT_EQ(large->max_model_len, 163840);
  EXPECT_EQ(large->scheduler.blocks, 10240);
}

TEST(SizeEngine, WidthAndMtpLayerCount) {
  const EngineLimits limits{.max_num_seqs = 64, .kv_dtype = DType::kF32, .mtp = true};
  const int64_t block = kR1Block / 61 * 62 * 2;
  const auto config = SizeEngine(R1(), limits, LeftForCache(100 * block + block - 1, limits));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->scheduler.blocks, 100);
}

TEST(SizeEngine, SwapBlocksAreTakenFromWhatIsLeft) {
  const EngineLimits limits{.max_num_seqs = 4, .swap_bytes = 10 * kR1Block + 5};
  const auto config = SizeEngine(R1(), limits, LeftForCache(100 * kR1Block + 5, limits));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->scheduler.blocks, 90);
  EXPECT_EQ(config->scheduler.swap_blocks, 10);
  EXPECT_TRUE(config->scheduler.prefix_cache);
  const auto none = SizeEngine(R1(), limits, LeftForCache(10 * kR1Block, limits));
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().what.find("swap blocks 10.7 MiB"), std::string::npos);
  const auto negative = SizeEngine(R1(), {.swap_bytes = -1}, LeftForCache(kGiB));
  ASSERT_FALSE(negative.ok());
  EXPECT_EQ(negative.error().what, "swap_bytes is -1, expected 0 or more");
}

TEST(SizeEngine, AGivenCacheSizeIsTheCache) {
  const auto config = SizeEngine(R1(), {.kv_cache_bytes = 40 * kR1Block}, LeftForCache(kGiB));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->scheduler.blocks, 40);
}

TEST(SizeEngine, LogitsOfAStepStayBelowTheirBytes) {
  const MemoryBudget memory = LeftForCache(100 * kGiB);
  // 2^25 bytes / (129280 * 4) = 64.9, and half of it with MTP rows.
  EXPECT_EQ(SizeEngine(R1(), {.max_num_seqs = 1}, memory)->scheduler.max_logit_rows, 64);
  EXPECT_EQ(SizeEngine(R1(), {.max_num_seqs = 1, .mtp = true}, memory)->scheduler.max_logit_rows,
            32);
  EXPECT_EQ(SizeEngine(R1(), {.max_num_seqs = 256}, memory)->scheduler.max_logit_rows, 256);
}

TEST(SizeEngine, NoMoreSequencesThanAStepHasTokens) {
  const EngineLimits limits{
      .max_model_len = 4096, .max_num_seqs = 64, .max_num_batched_tokens = 16};
  const auto config = SizeEngine(R1(), limits, LeftForCache(100 * kGiB, limits));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->scheduler.max_sequences, 16);
  EXPECT_EQ(config->scheduler.blocks, 16 * 256);
}

// By hand, for each token of a step: experts' inputs and outputs 8 * (7168 + 2 * 2048), shared
// expert 2 * 2048, dense layers 2 * 18432, queries and values 128 * (192 + 128), and so on, times 4
// bytes; 128 tokens of latent queries and sums 128 * (576 + 512).
TEST(SizeEngine, WorkingMemoryOfR1IsNearHalfAGigabyteForAStepOf512) {
  ModelConfig r1 = R1();
  r1.hidden = 7168;
  r1.heads = 128;
  r1.dense_intermediate = 18432;
  r1.rope.dim = 64;
  r1.moe = MoeConfig{
      .routed_experts = 256, .shared_experts = 1, .experts_per_token = 8, .intermediate = 2048};
  const int64_t steps = WorkingBytes(r1, {.threads = 1}) - kProcessBytes;
  EXPECT_GT(steps, 480'000'000);
  EXPECT_LT(steps, 580'000'000);
  const int64_t long_steps =
      WorkingBytes(r1, {.max_num_batched_tokens = 65536, .threads = 1}) - kProcessBytes;
  EXPECT_GT(long_steps, 50'000'000'000);
}

TEST(SizeEngine, RefusesWithTheNumbers) {
  struct Row {
    EngineLimits limits;
    MemoryBudget memory;
    std::string what;
    std::string fix;
    ErrorKind kind;
  };
  const MemoryBudget enough = LeftForCache(10 * kGiB);
  const MemoryBudget ten_blocks = LeftForCache(10 * kR1Block);
  const Row rows[] = {
      {{.max_num_seqs = 0},
       enough,
       "max_num_seqs is 0, expected 1 to 1048576",
       "give a value in this range",
       ErrorKind::kBadInput},
      {{.max_num_seqs = int64_t{1} << 60},
       enough,
       "max_num_seqs is 1152921504606846976, expected 1 to 1048576",
       "give a value in this range",
       ErrorKind::kBadInput},
      {{.max_num_batched_tokens = -1},
       enough,
       "max_num_batched_tokens is -1, expected 1 to 1048576",
       "give a value in this range",
       ErrorKind::kBadInput},
      {{.max_model_len = 0},
       enough,
       "max_model_len is 0, expected 1 to 163840, the positions of the model",
       "--max-model-len 163840 is the most",
       ErrorKind::kBadInput},
      {{.max_model_len = 163841},
       enough,
       "max_model_len is 163841, expected 1 to 163840, the positions of the model",
       "--max-model-len 163840 is the most",
       ErrorKind::kBadInput},
      {{},
       {.available_bytes = 22 * kGiB, .weight_bytes = 641 * kGiB},
       "the weights need 641.0 GiB and steps of 512 tokens 133.7 MiB of working memory, 22.0 GiB "
       "are available",
       "use a machine with more memory, a checkpoint in a narrower format, or a smaller "
       "--max-num-batched-tokens",
       ErrorKind::kDoesNotFit},
      {{},
       {.available_bytes = 1 << 20, .weight_bytes = 6 << 20, .limited = true},
       "the weights need 6.0 MiB and steps of 512 tokens 133.7 MiB of working memory, 1.0 MiB are "
       "available",
       "give a larger --memory-limit, a checkpoint in a narrower format, or a smaller "
       "--max-num-batched-tokens",
       ErrorKind::kDoesNotFit},
      {{.kv_cache_bytes = 11 * kGiB},
       enough,
       "a cache of 11.0 GiB is asked for, 10.0 GiB are left beside the weights",
       "--kv-cache-memory 10737418240 is the most",
       ErrorKind::kDoesNotFit},
      {{.max_model_len = 161},
       ten_blocks,
       "the cache of one sequence of 161 tokens needs 11.8 MiB, 10.7 MiB are left for it",
       "--max-model-len 160 would fit",
       ErrorKind::kDoesNotFit},
      {{},
       ten_blocks,
       "the cache of one sequence of 256 tokens needs 17.2 MiB, 10.7 MiB are left for it",
       "--max-model-len 160 would fit",
       ErrorKind::kDoesNotFit},
  };
  for (const Row& row : rows) {
    const auto config = SizeEngine(R1(), row.limits, row.memory);
    ASSERT_FALSE(config.ok()) << row.what;
    EXPECT_EQ(config.error().what, row.what);
    EXPECT_EQ(config.error().fix, row.fix);
    EXPECT_EQ(config.error().kind, row.kind);
  }
}

}  // namespace
}  // namespace fathom
