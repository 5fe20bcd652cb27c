#include "spec/weight_format.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "spec/catalogue.h"
#include "spec/config_testing.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

std::optional<DType> AsPublished(const TensorSpec& spec) { return spec.usual; }

TEST(WeightFormat, NamesComeBackAsTheirFormats) {
  for (const std::string& name : WeightFormatNames()) EXPECT_TRUE(ParseWeightFormat(name)) << name;
  EXPECT_EQ(ParseWeightFormat("w8a8"), WeightFormat::kW8A8);
  EXPECT_FALSE(ParseWeightFormat("int8"));
}

TEST(WeightFormat, WhatIsNotAProjectionStaysAsItIsStored) {
  int linear = 0;
  int heads = 0;
  for (const TensorSpec& spec : Catalogue(ParsedConfig(DeepseekR1ConfigJson()))) {
    const WeightUse use = UseOf(spec);
    linear += use == WeightUse::kLinear;
    heads += use == WeightUse::kLatentHeads;
    if (spec.name.find("embed_tokens") != std::string::npos ||
        spec.name.find("norm") != std::string::npos || spec.name.ends_with("gate.weight") ||
        spec.is_scale) {
      EXPECT_EQ(use, WeightUse::kAsStored) << spec.name;
    }
  }
  // 61 layers and that of the MTP: four projections of attention beside kv_b_proj; 3 dense layers
  // and 59 of 256 experts and a shared one, three matrices each; two heads and eh_proj.
  EXPECT_EQ(linear, 62 * 4 + 3 * 3 + 59 * 257 * 3 + 3);
  EXPECT_EQ(heads, 62);
}

TEST(WeightFormat, BytesInMemoryByHand) {
  const ModelConfig r1 = ParsedConfig(DeepseekR1ConfigJson());
  const int64_t stored = LoadedBytes(r1, AsPublished, WeightFormat::kAuto, false);
  const int64_t w8a8 = LoadedBytes(r1, AsPublished, WeightFormat::kW8A8, false);
  const int64_t bf16 = LoadedBytes(r1, AsPublished, WeightFormat::kBf16, false);
  // FP8 codes become as many I8 codes. A row of I8 has 8 bytes of its own; a 128 x 128 block of FP8
  // has 4. The head goes from two bytes an element to one.
  const int64_t head = int64_t{129280} * 7168;
  const int64_t attention_rows = 1536 + 128 * 192 + (512 + 64) + 7168;
  const int64_t attention_blocks = 12 * 56 + 192 * 12 + 5 * 56 + 56 * 128;
  const int64_t dense_rows = 2 * 18432 + 7168;
  const int64_t dense_blocks = 3 * 144 * 56;
  const int64_t expert_rows = 2 * 2048 + 7168;
  const int64_t expert_blocks = 3 * 16 * 56;
  const int64_t rows = 61 * attention_rows + 3 * dense_rows + 58 * 257 * expert_rows + 129280;
  const int64_t blocks = 61 * attention_blocks + 3 * dense_blocks + 58 * 257 * expert_blocks;
  EXPECT_EQ(w8a8 - stored, 8 * rows - 4 * blocks - head);
  // Every FP8 code, those of kv_b_proj too (its blocks: 256 x 4), becomes two bytes; scales go.
  const int64_t kv_b_blocks = 61 * 256 * 4;
  const int64_t codes = 61 * (int64_t{1536} * 7168 + int64_t{24576} * 1536 + int64_t{576} * 7168 +
                              int64_t{7168} * 16384 + int64_t{32768} * 512) +
                        3 * (3 * int64_t{18432} * 7168) + 58 * 257 * (3 * int64_t{2048} * 7168);
  EXPECT_EQ(bf16 - stored, codes - 4 * (blocks + kv_b_blocks));
}

}  // namespace
}  // namespace fathom
