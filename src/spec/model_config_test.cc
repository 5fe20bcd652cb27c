#include "spec/model_config.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "spec/config_testing.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

// `config_json` with the value at `key` ("rope_scaling/type") replaced, added, or taken away when
// `value` is empty.
Json Edited(std::string_view config_json, std::string_view key, std::string_view value) {
  Json json = *ParseJson(config_json, "test");
  Json* object = &json;
  for (size_t slash = key.find('/'); slash != std::string_view::npos; slash = key.find('/')) {
    for (auto& [name, member] : object->as_object()) {
      if (name == key.substr(0, slash)) object = &member;
    }
    key.remove_prefix(slash + 1);
  }
  if (value.empty()) {
    std::erase_if(object->as_object(), [&](const Json::Member& m) { return m.first == key; });
  } else {
    object->Set(key, *ParseJson(value, "test"));
  }
  return json;
}

ModelConfig ParseEdited(std::string_view config_json, std::string_view key,
                        std::string_view value) {
  const auto config = ParseModelConfig(Edited(config_json, key, value), "config.json");
  EXPECT_TRUE(config.ok()) << config.error().ToString();
  return *config;
}

TEST(ModelConfig, ReadsDeepseekR1) {
  const ModelConfig config = ParsedConfig(DeepseekR1ConfigJson());
  EXPECT_EQ(config.architecture, Architecture::kDeepseekV3);
  EXPECT_EQ(config.hidden, 7168);
  EXPECT_EQ(config.layers, 61);
  EXPECT_EQ(config.mtp_layers, 1);
  EXPECT_EQ(config.vocab, 129280);
  EXPECT_EQ(config.heads, 128);
  EXPECT_EQ(config.dense_intermediate, 18432);
  EXPECT_EQ(config.max_positions, 163840);
  EXPECT_EQ(config.rms_norm_eps, 1e-6);
  EXPECT_FALSE(config.tied_embeddings);
  EXPECT_EQ(config.dtype, DType::kBF16);
  ASSERT_TRUE(config.fp8);
  EXPECT_EQ(config.fp8->rows, 128);
  EXPECT_EQ(config.fp8->cols, 128);
  EXPECT_EQ(config.eos_token_ids, std::vector<int64_t>{1});
  EXPECT_EQ(config.KvValuesPerToken(), 576);
  EXPECT_FALSE(config.IsMoeLayer(2));
  EXPECT_TRUE(config.IsMoeLayer(3));
}

TEST(ModelConfig, ReadsAttentionAndRopeOfDeepseekR1) {
  const ModelConfig config = ParsedConfig(DeepseekR1ConfigJson());
  EXPECT_FALSE(config.gqa);
  ASSERT_TRUE(config.mla);
  EXPECT_EQ(config.mla->q_lora_rank, 1536);
  EXPECT_EQ(config.mla->kv_lora_rank, 512);
  EXPECT_EQ(config.mla->qk_nope_head_dim, 128);
  EXPECT_EQ(config.mla->qk_rope_head_dim, 64);
  EXPECT_EQ(config.mla->v_head_dim, 128);
  EXPECT_EQ(config.rope.dim, 64);
  EXPECT_EQ(config.rope.theta, 10000);
  EXPECT_TRUE(config.rope.interleaved);
  EXPECT_EQ(config.rope.scaling, RopeConfig::Scaling::kYarn);
  EXPECT_EQ(config.rope.factor, 40);
  EXPECT_EQ(config.rope.original_max_positions, 4096);
  EXPECT_EQ(config.rope.beta_fast, 32);
  EXPECT_EQ(config.rope.beta_slow, 1);
  EXPECT_EQ(config.rope.mscale, 1);
  EXPECT_EQ(config.rope.mscale_all_dim, 1);
}

TEST(ModelConfig, ReadsRoutingOfDeepseekR1) {
  const ModelConfig config = ParsedConfig(DeepseekR1ConfigJson());
  ASSERT_TRUE(config.moe);
  EXPECT_EQ(config.moe->routed_experts, 256);
  EXPECT_EQ(config.moe->shared_experts, 1);
  EXPECT_EQ(config.moe->experts_per_token, 8);
  EXPECT_EQ(config.moe->intermediate, 2048);
  EXPECT_EQ(config.moe->groups, 8);
  EXPECT_EQ(config.moe->top_groups, 4);
  EXPECT_EQ(config.moe->first_dense_layers, 3);
  EXPECT_EQ(config.moe->layer_freq, 1);
  EXPECT_EQ(config.moe->scoring, Scoring::kSigmoid);
  EXPECT_EQ(config.moe->group_score, GroupScore::kTopTwoSum);
  EXPECT_TRUE(config.moe->correction_bias);
  EXPECT_TRUE(config.moe->normalize);
  EXPECT_EQ(config.moe->scale, 2.5);
}

TEST(ModelConfig, ReadsDeepseekV2AndV2Lite) {
  const ModelConfig v2 = ParsedConfig(DeepseekV2ConfigJson());
  EXPECT_EQ(v2.architecture, Architecture::kDeepseekV2);
  EXPECT_EQ(v2.mla->q_lora_rank, 1536);
  EXPECT_EQ(v2.moe->scoring, Scoring::kSoftmax);
  EXPECT_EQ(v2.moe->group_score, GroupScore::kMax);
  EXPECT_EQ(v2.moe->groups, 8);
  EXPECT_EQ(v2.moe->top_groups, 3);
  EXPECT_FALSE(v2.moe->correction_bias);
  EXPECT_EQ(v2.rope.mscale, 0.707);
  EXPECT_EQ(v2.mtp_layers, 0);
  const ModelConfig lite = ParsedConfig(DeepseekV2LiteConfigJson());
  EXPECT_FALSE(lite.mla->q_lora_rank);
  EXPECT_EQ(lite.moe->group_score, GroupScore::kNone);
  EXPECT_EQ(lite.moe->groups, 1);
}

TEST(ModelConfig, ReadsQwen25) {
  const ModelConfig config = ParsedConfig(Qwen25ConfigJson());
  EXPECT_EQ(config.architecture, Architecture::kQwen2);
  EXPECT_FALSE(config.mla);
  EXPECT_FALSE(config.moe);
  EXPECT_FALSE(config.fp8);
  EXPECT_EQ(config.gqa->kv_heads, 4);
  EXPECT_EQ(config.gqa->head_dim, 128);
  EXPECT_TRUE(config.gqa->qkv_bias);
  EXPECT_EQ(config.rope.dim, 128);
  EXPECT_EQ(config.rope.theta, 1e6);
  EXPECT_FALSE(config.rope.interleaved);
  EXPECT_EQ(config.rope.scaling, RopeConfig::Scaling::kNone);
  EXPECT_EQ(config.KvValuesPerToken(), 2 * 4 * 128);
}

// The references give the norms of MLA's latents no epsilon, so they have their class's default.
TEST(ModelConfig, TheLatentEpsilonDoesNotFollowTheOther) {
  const ModelConfig config = ParseEdited(DeepseekR1ConfigJson(), "rms_norm_eps", "1e-5");
  EXPECT_EQ(config.rms_norm_eps, 1e-5);
  EXPECT_EQ(config.latent_norm_eps, 1e-6);
}

TEST(ModelConfig, ReadsLlama31) {
  const ModelConfig config = ParsedConfig(Llama31ConfigJson());
  EXPECT_EQ(config.architecture, Architecture::kLlama);
  EXPECT_FALSE(config.gqa->qkv_bias);
  EXPECT_EQ(config.rms_norm_eps, 1e-5);
  EXPECT_EQ(config.rope.scaling, RopeConfig::Scaling::kLlama3);
  EXPECT_EQ(config.rope.factor, 8);
  EXPECT_EQ(config.rope.low_freq_factor, 1);
  EXPECT_EQ(config.rope.high_freq_factor, 4);
  EXPECT_EQ(config.rope.original_max_positions, 8192);
  EXPECT_EQ(config.eos_token_ids, (std::vector<int64_t>{128001, 128008, 128009}));
}

TEST(ModelConfig, ExplicitHeadDimWins) {
  const ModelConfig config = ParsedConfig(TinyLlamaConfigJson());
  EXPECT_EQ(config.gqa->head_dim, 16);  // hidden 48 / 4 heads would be 12
  EXPECT_EQ(config.rope.dim, 16);
}

// docs/formats/deepseek.md 17.
TEST(ModelConfig, V2NormalisesOrScalesV3DoesBoth) {
  const ModelConfig scales = ParseEdited(DeepseekV2ConfigJson(), "norm_topk_prob", "false");
  EXPECT_FALSE(scales.moe->normalize);
  EXPECT_EQ(scales.moe->scale, 16);
  const ModelConfig normalises = ParseEdited(DeepseekV2ConfigJson(), "norm_topk_prob", "true");
  EXPECT_TRUE(normalises.moe->normalize);
  EXPECT_EQ(normalises.moe->scale, 1);
  const ModelConfig single = ParseEdited(DeepseekR1ConfigJson(), "num_experts_per_tok", "1");
  EXPECT_FALSE(single.moe->normalize);  // one weight divided by itself would be 1 whatever it is
  EXPECT_EQ(single.moe->scale, 2.5);
}

TEST(ModelConfig, OneGroupIsNoLimit) {
  Json json = Edited(DeepseekR1ConfigJson(), "n_group", "1");
  json.Set("topk_group", 1);
  const auto config = ParseModelConfig(json, "config.json");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->moe->group_score, GroupScore::kNone);
}

TEST(ModelConfig, AcceptsSpellingsOfOtherWriters) {
  EXPECT_EQ(ParseEdited(DeepseekR1ConfigJson(), "rope_scaling", "null").rope.scaling,
            RopeConfig::Scaling::kNone);
  EXPECT_FALSE(ParseEdited(DeepseekR1ConfigJson(), "q_lora_rank", "null").mla->q_lora_rank);
  EXPECT_FALSE(ParseEdited(DeepseekR1ConfigJson(), "rope_interleave", "false").rope.interleaved);
  EXPECT_TRUE(
      ParseEdited(DeepseekR1ConfigJson(), "quantization_config/scale_fmt", "\"ue8m0\"").fp8);
  EXPECT_EQ(ParseEdited(DeepseekR1ConfigJson(), "dtype", "\"float16\"").dtype, DType::kF16);
  EXPECT_EQ(ParseEdited(DeepseekR1ConfigJson(), "torch_dtype", "").dtype, DType::kF32);
  // Nothing uses it, and some writers put -1 for none.
  EXPECT_EQ(ParseEdited(DeepseekR1ConfigJson(), "bos_token_id", "-1").vocab, 129'280);
  EXPECT_EQ(ParseEdited(Llama31ConfigJson(), "num_key_value_heads", "").gqa->kv_heads, 32);
  EXPECT_EQ(ParseEdited(Llama31ConfigJson(), "rope_scaling", R"({"type": "default"})").rope.scaling,
            RopeConfig::Scaling::kNone);
  EXPECT_EQ(ParseEdited(Llama31ConfigJson(), "rope_parameters",
                        R"({"rope_type": "default", "rope_theta": 123.0})")
                .rope.theta,
            123);
}

// As the model's page says to extend it: no mscale, so cos and sin are scaled, the softmax is not.
TEST(ModelConfig, ReadsYarnOfQwen25) {
  const ModelConfig config =
      ParseEdited(Qwen25ConfigJson(), "rope_scaling",
                  R"({"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"})");
  EXPECT_EQ(config.rope.scaling, RopeConfig::Scaling::kYarn);
  EXPECT_EQ(config.rope.factor, 4);
  EXPECT_EQ(config.rope.mscale, 1);
  EXPECT_EQ(config.rope.mscale_all_dim, 0);
}

// The numbers are those of transformers' DeepseekV3Config and DeepseekV2Config.
TEST(ModelConfig, AbsentKeysOfRoutingHaveTheDefaultsOfTheReference) {
  Json json = Edited(DeepseekR1ConfigJson(), "first_k_dense_replace", "");
  for (const char* key : {"n_group", "topk_group", "n_shared_experts", "routed_scaling_factor"}) {
    std::erase_if(json.as_object(), [key](const auto& member) { return member.first == key; });
  }
  const auto v3 = ParseModelConfig(json, "config.json");
  ASSERT_TRUE(v3.ok()) << v3.error().ToString();
  EXPECT_EQ(v3->moe->first_dense_layers, 3);
  EXPECT_EQ(v3->moe->groups, 8);
  EXPECT_EQ(v3->moe->top_groups, 4);
  EXPECT_EQ(v3->moe->shared_experts, 1);
  EXPECT_EQ(v3->moe->scale, 2.5);
  const ModelConfig v2 = ParseEdited(DeepseekV2ConfigJson(), "first_k_dense_replace", "");
  EXPECT_EQ(v2.moe->first_dense_layers, 0);
  EXPECT_EQ(ParseEdited(DeepseekV2LiteConfigJson(), "n_routed_experts", "").moe->routed_experts,
            64);
  EXPECT_EQ(ParseEdited(DeepseekV2LiteConfigJson(), "n_group", "null").moe->groups, 1);
}

struct BadConfig {
  const char* name;
  std::string_view (*base)();
  const char* key;
  const char* value;
  const char* error;
};

class ModelConfigErrors : public testing::TestWithParam<BadConfig> {};

TEST_P(ModelConfigErrors, SayWhatWhereAndFix) {
  const BadConfig& row = GetParam();
  const auto config = ParseModelConfig(Edited(row.base(), row.key, row.value), "config.json");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().ToString(), row.error);
  EXPECT_EQ(config.error().kind, ErrorKind::kBadInput);
}

#define FATHOM_FETCH \
  "  fix: the file is damaged or was edited: fetch it again, or correct it there\n"
#define FATHOM_STOPS \
  "  fix: this program does not compute such a model; it would give wrong text, so it stops\n"

constexpr BadConfig kBadConfigs[] = {
    {"UnknownArchitecture", DeepseekR1ConfigJson, "architectures", R"(["MixtralForCausalLM"])",
     "error: architecture \"MixtralForCausalLM\" is not supported\n"
     "  where: config.json: /architectures/0\n"
     "  fix: supported: DeepseekV3ForCausalLM, DeepseekV2ForCausalLM, Qwen2ForCausalLM, "
     "LlamaForCausalLM\n"},
    {"NoArchitecture", DeepseekR1ConfigJson, "architectures", "",
     "error: key \"architectures\" is missing\n  where: config.json\n" FATHOM_FETCH},
    {"EmptyArchitectures", DeepseekR1ConfigJson, "architectures", "[]",
     "error: expected the name of an architecture, found array []\n"
     "  where: config.json: /architectures\n" FATHOM_FETCH},
    {"ArchitectureIsANumber", DeepseekR1ConfigJson, "architectures", "[3]",
     "error: expected the name of an architecture, found integer 3\n"
     "  where: config.json: /architectures/0\n" FATHOM_FETCH},
    {"LayersMissing", DeepseekR1ConfigJson, "num_hidden_layers", "",
     "error: key \"num_hidden_layers\" is missing\n  where: config.json\n" FATHOM_FETCH},
    {"LayersOutOfRange", DeepseekR1ConfigJson, "num_hidden_layers", "0",
     "error: expected an integer from 1 to 1024, found integer 0\n"
     "  where: config.json: /num_hidden_layers\n" FATHOM_FETCH},
    {"HiddenIsText", DeepseekR1ConfigJson, "hidden_size", "\"7168\"",
     "error: expected an integer from 1 to 65536, found string \"7168\"\n"
     "  where: config.json: /hidden_size\n" FATHOM_FETCH},
    {"EpsilonIsZero", DeepseekR1ConfigJson, "rms_norm_eps", "0",
     "error: expected a number above 0, found integer 0\n  where: config.json: "
     "/rms_norm_eps\n" FATHOM_FETCH},
    {"OtherActivation", Qwen25ConfigJson, "hidden_act", "\"gelu\"",
     "error: expected \"silu\", found string \"gelu\"\n  where: config.json: "
     "/hidden_act\n" FATHOM_STOPS},
    {"UnknownDtype", DeepseekR1ConfigJson, "torch_dtype", "\"int8\"",
     "error: expected \"bfloat16\", \"float16\" or \"float32\", found string \"int8\"\n"
     "  where: config.json: /torch_dtype\n" FATHOM_FETCH},
    {"OtherQuantisation", DeepseekR1ConfigJson, "quantization_config/quant_method", "\"awq\"",
     "error: quantisation \"awq\" is not supported\n"
     "  where: config.json: /quantization_config/quant_method\n"
     "  fix: supported: none (BF16, F16 or F32 weights) or \"fp8\" with blocks (F8_E4M3 weights "
     "and "
     "weight_scale_inv)\n"},
    {"OtherFp8Format", DeepseekR1ConfigJson, "quantization_config/fmt", "\"e5m2\"",
     "error: expected \"e4m3\", found string \"e5m2\"\n"
     "  where: config.json: /quantization_config/fmt\n" FATHOM_STOPS},
    {"StaticActivationScales", DeepseekR1ConfigJson, "quantization_config/activation_scheme",
     "\"static\"",
     "error: expected \"dynamic\", found string \"static\"\n"
     "  where: config.json: /quantization_config/activation_scheme\n" FATHOM_STOPS},
    {"UnknownScaleFormat", DeepseekR1ConfigJson, "quantization_config/scale_fmt", "\"e5m3\"",
     "error: expected \"float\" or \"ue8m0\", found string \"e5m3\"\n"
     "  where: config.json: /quantization_config/scale_fmt\n" FATHOM_STOPS},
    {"OneScaleForAWholeTensor", DeepseekR1ConfigJson, "quantization_config/weight_block_size", "",
     "error: key \"weight_block_size\" is missing\n  where: config.json: "
     "/quantization_config\n" FATHOM_FETCH},
    {"BlockOfOneSide", DeepseekR1ConfigJson, "quantization_config/weight_block_size", "[128]",
     "error: expected two numbers of rows and columns, found array [128]\n"
     "  where: config.json: /quantization_config/weight_block_size\n" FATHOM_FETCH},
    {"DynamicRope", DeepseekR1ConfigJson, "rope_scaling/type", "\"dynamic\"",
     "error: expected \"yarn\" or \"default\", found string \"dynamic\"\n"
     "  where: config.json: /rope_scaling/type\n" FATHOM_STOPS},
    {"LinearRopeOfLlama", Llama31ConfigJson, "rope_scaling/rope_type", "\"linear\"",
     "error: expected \"yarn\", \"llama3\" or \"default\", found string \"linear\"\n"
     "  where: config.json: /rope_scaling/rope_type\n" FATHOM_STOPS},
    {"UnknownRopeWithKeysOfItsOwn", Llama31ConfigJson, "rope_scaling",
     R"({"rope_type": "longrope", "long_factor": [1.0]})",
     "error: expected \"yarn\", \"llama3\" or \"default\", found string \"longrope\"\n"
     "  where: config.json: /rope_scaling/rope_type\n" FATHOM_STOPS},
    {"V3WithoutItsExperts", DeepseekR1ConfigJson, "n_routed_experts", "",
     "error: key \"n_routed_experts\" is missing\n  where: config.json\n" FATHOM_FETCH},
    {"V3WithExpertsOfNull", DeepseekR1ConfigJson, "n_routed_experts", "null",
     "error: expected an integer from 1 to 4096, found null\n"
     "  where: config.json: /n_routed_experts\n" FATHOM_FETCH},
    {"V2WithExpertsOfNull", DeepseekV2ConfigJson, "n_routed_experts", "null",
     "error: expected an integer from 1 to 4096, found null\n"
     "  where: config.json: /n_routed_experts\n" FATHOM_FETCH},
    {"UnknownRopeKey", DeepseekR1ConfigJson, "rope_scaling/attention_factor", "2.0",
     "error: key \"attention_factor\" is not known\n  where: config.json: /rope_scaling\n"
     "  fix: known: type, rope_type, rope_theta, factor, original_max_position_embeddings, "
     "beta_fast, beta_slow, mscale, mscale_all_dim\n"},
    {"YarnWithoutItsContext", DeepseekR1ConfigJson, "rope_scaling/original_max_position_embeddings",
     "",
     "error: key \"original_max_position_embeddings\" is missing\n"
     "  where: config.json: /rope_scaling\n" FATHOM_FETCH},
    {"BetasSwapped", DeepseekR1ConfigJson, "rope_scaling/beta_slow", "64",
     "error: beta_fast 32 is below beta_slow 64\n  where: config.json: "
     "/rope_scaling\n" FATHOM_FETCH},
    {"FrequencyFactorsSwapped", Llama31ConfigJson, "rope_scaling/low_freq_factor", "4.0",
     "error: high_freq_factor 4 is not above low_freq_factor 4\n"
     "  where: config.json: /rope_scaling\n" FATHOM_FETCH},
    {"OddRope", DeepseekR1ConfigJson, "qk_rope_head_dim", "63",
     "error: 63 rotated values a head, an even number is needed\n  where: "
     "config.json\n" FATHOM_FETCH},
    {"UnknownScoring", DeepseekR1ConfigJson, "scoring_func", "\"softmax\"",
     "error: expected \"sigmoid\", found string \"softmax\"\n"
     "  where: config.json: /scoring_func\n" FATHOM_STOPS},
    {"UnknownTopk", DeepseekR1ConfigJson, "topk_method", "\"greedy\"",
     "error: expected \"noaux_tc\", found string \"greedy\"\n  where: config.json: "
     "/topk_method\n" FATHOM_STOPS},
    {"UnknownTopkOfV2", DeepseekV2ConfigJson, "topk_method", "\"noaux_tc\"",
     "error: expected \"greedy\" or \"group_limited_greedy\", found string \"noaux_tc\"\n"
     "  where: config.json: /topk_method\n" FATHOM_STOPS},
    {"GroupsOfV2Missing", DeepseekV2ConfigJson, "topk_group", "",
     "error: key \"topk_group\" is missing\n  where: config.json\n" FATHOM_FETCH},
    {"GroupsOfV3Null", DeepseekR1ConfigJson, "n_group", "null",
     "error: expected an integer from 1 to 4096, found null\n"
     "  where: config.json: /n_group\n" FATHOM_FETCH},
    {"DenseLayersNull", DeepseekR1ConfigJson, "first_k_dense_replace", "null",
     "error: expected an integer from 0 to 61, found null\n"
     "  where: config.json: /first_k_dense_replace\n" FATHOM_FETCH},
    {"UnevenGroups", DeepseekR1ConfigJson, "n_group", "7",
     "error: 256 routed experts cannot form 7 groups of one size\n  where: "
     "config.json\n" FATHOM_FETCH},
    {"MoreKeptGroupsThanGroups", DeepseekR1ConfigJson, "topk_group", "9",
     "error: topk_group 9 is more than n_group 8\n  where: config.json\n" FATHOM_FETCH},
    {"MoreExpertsThanKeptGroupsHold", DeepseekR1ConfigJson, "num_experts_per_tok", "129",
     "error: 129 experts a token cannot come from 4 groups of 32 experts\n  where: "
     "config.json\n" FATHOM_FETCH},
    {"GroupsOfOneExpert", DeepseekR1ConfigJson, "n_group", "256",
     "error: 8 experts a token cannot come from 4 groups of 1 experts\n  where: "
     "config.json\n" FATHOM_FETCH},
    {"DenseLayersBeyondTheModel", DeepseekR1ConfigJson, "first_k_dense_replace", "62",
     "error: expected an integer from 0 to 61, found integer 62\n"
     "  where: config.json: /first_k_dense_replace\n" FATHOM_FETCH},
    {"BiasInLatentAttention", DeepseekR1ConfigJson, "attention_bias", "true",
     "error: expected false, found bool true\n  where: config.json: "
     "/attention_bias\n" FATHOM_STOPS},
    {"BiasInLlamaAttention", Llama31ConfigJson, "attention_bias", "true",
     "error: expected false, found bool true\n  where: config.json: "
     "/attention_bias\n" FATHOM_STOPS},
    {"BiasInLlamaMlp", Llama31ConfigJson, "mlp_bias", "true",
     "error: expected false, found bool true\n  where: config.json: /mlp_bias\n" FATHOM_STOPS},
    {"SlidingWindow", Qwen25ConfigJson, "use_sliding_window", "true",
     "error: expected false, found bool true\n  where: config.json: "
     "/use_sliding_window\n" FATHOM_STOPS},
    {"ThreeAxisRope", Qwen25ConfigJson, "use_mrope", "true",
     "error: expected false, found bool true\n  where: config.json: /use_mrope\n" FATHOM_STOPS},
    {"PartialRope", Llama31ConfigJson, "partial_rotary_factor", "0.5",
     "error: expected 1, found number 0.5\n  where: config.json: "
     "/partial_rotary_factor\n" FATHOM_STOPS},
    {"HeadsDoNotShareEvenly", Qwen25ConfigJson, "num_key_value_heads", "5",
     "error: 28 attention heads cannot share 5 key/value heads evenly\n  where: "
     "config.json\n" FATHOM_FETCH},
    {"HiddenDoesNotDivide", Qwen25ConfigJson, "hidden_size", "3585",
     "error: hidden_size 3585 is not a multiple of 28 attention heads, and there is no head_dim\n"
     "  where: config.json\n" FATHOM_FETCH},
    {"EosOutsideVocabulary", Qwen25ConfigJson, "eos_token_id", "152064",
     "error: expected an integer from 0 to 152063, found integer 152064\n"
     "  where: config.json: /eos_token_id\n" FATHOM_FETCH},
    {"EosListHoldsText", Llama31ConfigJson, "eos_token_id", R"([1, "2"])",
     "error: expected an integer from 0 to 128255, found string \"2\"\n"
     "  where: config.json: /eos_token_id/1\n" FATHOM_FETCH},
};

INSTANTIATE_TEST_SUITE_P(Rows, ModelConfigErrors, testing::ValuesIn(kBadConfigs),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(ModelConfig, GroupsNeedTwoExpertsForTheirScore) {
  Json json = Edited(DeepseekR1ConfigJson(), "n_group", "256");
  json.Set("topk_group", 8);
  const auto config = ParseModelConfig(json, "config.json");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().what, "groups of 1 expert have no two best scores");
}

TEST(ModelConfig, OfAListIsRefused) {
  const auto config = ParseModelConfig(Json::MakeArray(), "config.json");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().ToString(),
            "error: expected an object, found array []\n"
            "  where: config.json\n" FATHOM_FETCH);
}

TEST(ModelConfig, MoreExpertsThanAnyModelAreRefusedBeforeTheyAreListed) {
  Json json = Edited(DeepseekR1ConfigJson(), "num_hidden_layers", "1024");
  json.Set("n_routed_experts", 4096);
  const auto config = ParseModelConfig(json, "config.json");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().what,
            "1024 layers of 4096 experts are more than the 262144 experts "
            "this program takes");
}

}  // namespace
}  // namespace fathom
