#include "spec/catalogue.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>

#include "base/format.h"
#include "spec/config_testing.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

// "F8_E4M3 [1536, 7168] attention", by name.
std::map<std::string, std::string> Lines(const ModelConfig& config) {
  std::map<std::string, std::string> lines;
  for (const TensorSpec& spec : Catalogue(config)) {
    const bool added =
        lines
            .emplace(spec.name, Format("{} {} {}{}", DTypeName(spec.usual), ShapeString(spec.shape),
                                       ComponentName(spec.component), spec.mtp ? ", MTP" : ""))
            .second;
    EXPECT_TRUE(added) << spec.name << " stands twice";
  }
  return lines;
}

// The lines that begin with `prefix`, without it.
std::map<std::string, std::string> Below(const std::map<std::string, std::string>& lines,
                                         const std::string& prefix) {
  std::map<std::string, std::string> below;
  for (const auto& [name, line] : lines) {
    if (name.starts_with(prefix)) below[name.substr(prefix.size())] = line;
  }
  return below;
}

using Expected = std::map<std::string, std::string>;

// Names and shapes of a layer as the index and headers of deepseek-ai/DeepSeek-R1 give them.
TEST(Catalogue, ListsTheLatentAttentionOfDeepseekR1) {
  const auto lines = Lines(ParsedConfig(DeepseekR1ConfigJson()));
  EXPECT_EQ(Below(lines, "model.layers.60.self_attn."),
            (Expected{
                {"q_a_proj.weight", "F8_E4M3 [1536, 7168] attention"},
                {"q_a_proj.weight_scale_inv", "F32 [12, 56] attention"},
                {"q_a_layernorm.weight", "BF16 [1536] norm"},
                {"q_b_proj.weight", "F8_E4M3 [24576, 1536] attention"},
                {"q_b_proj.weight_scale_inv", "F32 [192, 12] attention"},
                {"kv_a_proj_with_mqa.weight", "F8_E4M3 [576, 7168] attention"},
                {"kv_a_proj_with_mqa.weight_scale_inv", "F32 [5, 56] attention"},
                {"kv_a_layernorm.weight", "BF16 [512] norm"},
                {"kv_b_proj.weight", "F8_E4M3 [32768, 512] attention"},
                {"kv_b_proj.weight_scale_inv", "F32 [256, 4] attention"},
                {"o_proj.weight", "F8_E4M3 [7168, 16384] attention"},
                {"o_proj.weight_scale_inv", "F32 [56, 128] attention"},
            }));
}

TEST(Catalogue, ListsTheFeedForwardsOfDeepseekR1) {
  const auto lines = Lines(ParsedConfig(DeepseekR1ConfigJson()));
  EXPECT_EQ(Below(lines, "model.layers.2.mlp."),
            (Expected{
                {"gate_proj.weight", "F8_E4M3 [18432, 7168] dense FFN"},
                {"gate_proj.weight_scale_inv", "F32 [144, 56] dense FFN"},
                {"up_proj.weight", "F8_E4M3 [18432, 7168] dense FFN"},
                {"up_proj.weight_scale_inv", "F32 [144, 56] dense FFN"},
                {"down_proj.weight", "F8_E4M3 [7168, 18432] dense FFN"},
                {"down_proj.weight_scale_inv", "F32 [56, 144] dense FFN"},
            }));
  EXPECT_EQ(Below(lines, "model.layers.3.mlp.gate."),
            (Expected{{"weight", "BF16 [256, 7168] gate"},
                      {"e_score_correction_bias", "F32 [256] gate"}}));
  EXPECT_EQ(lines.at("model.layers.3.mlp.experts.255.down_proj.weight"),
            "F8_E4M3 [7168, 2048] routed experts");
  EXPECT_EQ(lines.at("model.layers.3.mlp.shared_experts.up_proj.weight_scale_inv"),
            "F32 [16, 56] shared experts");
  EXPECT_EQ(lines.size(), 91'991U);
}

TEST(Catalogue, ListsTheMtpLayerOfDeepseekR1) {
  const auto mtp = Below(Lines(ParsedConfig(DeepseekR1ConfigJson())), "model.layers.61.");
  EXPECT_EQ(mtp.at("embed_tokens.weight"), "BF16 [129280, 7168] embedding, MTP");
  EXPECT_EQ(mtp.at("enorm.weight"), "BF16 [7168] norm, MTP");
  EXPECT_EQ(mtp.at("hnorm.weight"), "BF16 [7168] norm, MTP");
  EXPECT_EQ(mtp.at("eh_proj.weight"), "BF16 [7168, 14336] MTP projection, MTP");
  EXPECT_EQ(mtp.at("shared_head.norm.weight"), "BF16 [7168] norm, MTP");
  EXPECT_EQ(mtp.at("shared_head.head.weight"), "BF16 [129280, 7168] head, MTP");
  EXPECT_EQ(mtp.at("mlp.experts.0.up_proj.weight"), "F8_E4M3 [2048, 7168] routed experts, MTP");
  EXPECT_EQ(mtp.at("post_attention_layernorm.weight"), "BF16 [7168] norm, MTP");
  EXPECT_EQ(mtp.count("eh_proj.weight_scale_inv"), 0U);
}

TEST(Catalogue, ListsDeepseekV2Lite) {
  const auto lines = Lines(ParsedConfig(DeepseekV2LiteConfigJson()));
  EXPECT_EQ(Below(lines, "model.layers.1.self_attn."),
            (Expected{
                {"q_proj.weight", "BF16 [3072, 2048] attention"},
                {"kv_a_proj_with_mqa.weight", "BF16 [576, 2048] attention"},
                {"kv_a_layernorm.weight", "BF16 [512] norm"},
                {"kv_b_proj.weight", "BF16 [4096, 512] attention"},
                {"o_proj.weight", "BF16 [2048, 2048] attention"},
            }));
  EXPECT_EQ(Below(lines, "model.layers.1.mlp.gate."),
            (Expected{{"weight", "BF16 [64, 2048] gate"}}));
  EXPECT_EQ(lines.at("model.layers.1.mlp.shared_experts.gate_proj.weight"),
            "BF16 [2816, 2048] shared experts");
}

TEST(Catalogue, ListsQwen2AndLlama) {
  const auto qwen = Lines(ParsedConfig(Qwen25ConfigJson()));
  EXPECT_EQ(Below(qwen, "model.layers.27."),
            (Expected{
                {"input_layernorm.weight", "BF16 [3584] norm"},
                {"self_attn.q_proj.weight", "BF16 [3584, 3584] attention"},
                {"self_attn.q_proj.bias", "BF16 [3584] attention"},
                {"self_attn.k_proj.weight", "BF16 [512, 3584] attention"},
                {"self_attn.k_proj.bias", "BF16 [512] attention"},
                {"self_attn.v_proj.weight", "BF16 [512, 3584] attention"},
                {"self_attn.v_proj.bias", "BF16 [512] attention"},
                {"self_attn.o_proj.weight", "BF16 [3584, 3584] attention"},
                {"post_attention_layernorm.weight", "BF16 [3584] norm"},
                {"mlp.gate_proj.weight", "BF16 [18944, 3584] dense FFN"},
                {"mlp.up_proj.weight", "BF16 [18944, 3584] dense FFN"},
                {"mlp.down_proj.weight", "BF16 [3584, 18944] dense FFN"},
            }));
  EXPECT_EQ(qwen.at("lm_head.weight"), "BF16 [152064, 3584] head");
  EXPECT_EQ(qwen.at("model.norm.weight"), "BF16 [3584] norm");
  const auto llama = Lines(ParsedConfig(TinyLlamaConfigJson()));
  EXPECT_EQ(llama.at("model.layers.0.self_attn.q_proj.weight"), "BF16 [64, 48] attention");
  EXPECT_EQ(llama.count("model.layers.0.self_attn.q_proj.bias"), 0U);
}

TEST(Catalogue, OfATiedModelHasNoHeadAndIgnoresOne) {
  const ModelConfig tied = ParsedConfig(TinyQwen2ConfigJson());
  EXPECT_EQ(Lines(tied).count("lm_head.weight"), 0U);
  EXPECT_TRUE(IsIgnoredTensor(tied, "lm_head.weight"));
  EXPECT_TRUE(IsIgnoredTensor(tied, "model.layers.0.self_attn.rotary_emb.inv_freq"));
  const ModelConfig untied = ParsedConfig(TinyLlamaConfigJson());
  EXPECT_FALSE(IsIgnoredTensor(untied, "lm_head.weight"));
}

TEST(Catalogue, ScalesStandRightAfterTheirWeight) {
  const auto catalogue = Catalogue(ParsedConfig(TinyDeepseekV3ConfigJson()));
  for (size_t i = 0; i < catalogue.size(); ++i) {
    if (!catalogue[i].is_scale) continue;
    EXPECT_EQ(catalogue[i].name, catalogue[i - 1].name + "_scale_inv");
    EXPECT_EQ(catalogue[i - 1].supported.front(), DType::kF8E4M3);
  }
}

}  // namespace
}  // namespace fathom
