#include "spec/model_config.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "spec/token_ids.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

// Limits far above any published model, low enough that no product of them leaves int64.
constexpr int64_t kMaxHidden = 1 << 16;
constexpr int64_t kMaxIntermediate = 1 << 18;
constexpr int64_t kMaxLayers = 1024;
constexpr int64_t kMaxHeads = 1024;
constexpr int64_t kMaxHeadDim = 4096;
constexpr int64_t kMaxVocab = 1 << 24;
constexpr int64_t kMaxExperts = 4096;
constexpr int64_t kMaxExpertsOfModel = 1 << 18;  // each is several entries of the catalogue
constexpr int64_t kMaxPositions = int64_t{1} << 31;

// In the order of the enum.
constexpr std::array<std::string_view, 4> kArchitectures = {
    "DeepseekV3ForCausalLM", "DeepseekV2ForCausalLM", "Qwen2ForCausalLM", "LlamaForCausalLM"};

std::string Join(std::initializer_list<std::string_view> items) {
  std::string text;
  for (const std::string_view item : items) {
    if (!text.empty()) text += ", ";
    text += item;
  }
  return text;
}

// Not what this program computes: `key` holds a value other than `supported`.
Error Unsupported(const JsonReader& json, std::string_view key, std::string_view supported) {
  Error error = json.Mismatch(key, supported);
  error.fix = "this program does not compute such a model; it would give wrong text, so it stops";
  return error;
}

Status RequireBool(const JsonReader& json, std::string_view key, bool supported) {
  FATHOM_TRY(const bool value, json.BoolOr(key, supported));
  if (value == supported) return Ok();
  return Unsupported(json, key, supported ? "true" : "false");
}

Status RequireString(const JsonReader& json, std::string_view key, std::string_view supported) {
  FATHOM_TRY(const std::string value, json.StringOr(key, std::string(supported)));
  if (value == supported) return Ok();
  return Unsupported(json, key, Format("\"{}\"", supported));
}

// A number above zero; every real-valued setting of a model is one.
Result<double> Positive(const JsonReader& json, std::string_view key,
                        std::optional<double> fallback = std::nullopt) {
  if (!json.Has(key) && fallback) return *fallback;
  FATHOM_TRY(const double value, json.Number(key));
  if (value > 0) return value;
  return json.Mismatch(key, "a number above 0");
}

Result<Architecture> ParseArchitecture(const JsonReader& json) {
  FATHOM_TRY(const JsonReader names, json.ArrayAt("architectures"));
  if (names.value().as_array().empty()) return names.Mismatch("", "the name of an architecture");
  const JsonReader first = names.At(0);
  if (!first.value().is_string()) return first.Mismatch("", "the name of an architecture");
  const std::string& name = first.value().as_string();
  const auto found = std::find(kArchitectures.begin(), kArchitectures.end(), name);
  if (found != kArchitectures.end()) {
    return static_cast<Architecture>(found - kArchitectures.begin());
  }
  return BadInput(Format("architecture \"{}\" is not supported", name), first.Where(),
                  Format("supported: {}, {}, {}, {}", kArchitectures[0], kArchitectures[1],
                         kArchitectures[2], kArchitectures[3]));
}

// `torch_dtype`, or `dtype` as newer files call it; a file without either means float32.
Result<DType> ParseTorchDType(const JsonReader& json) {
  const std::string_view key = json.Has("dtype") ? "dtype" : "torch_dtype";
  FATHOM_TRY(const std::string name, json.StringOr(key, "float32"));
  if (name == "bfloat16") return DType::kBF16;
  if (name == "float16") return DType::kF16;
  if (name == "float32") return DType::kF32;
  return json.Mismatch(key, "\"bfloat16\", \"float16\" or \"float32\"");
}

Status CheckKnownKeys(const JsonReader& json, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : json.value().as_object()) {
    if (value.is_null() || std::find(known.begin(), known.end(), key) != known.end()) continue;
    return BadInput(Format("key \"{}\" is not known", key), json.Where(), "known: " + Join(known));
  }
  return Ok();
}

Status ParseYarn(const JsonReader& scaling, RopeConfig& rope) {
  FATHOM_OK(CheckKnownKeys(
      scaling, {"type", "rope_type", "rope_theta", "factor", "original_max_position_embeddings",
                "beta_fast", "beta_slow", "mscale", "mscale_all_dim"}));
  rope.scaling = RopeConfig::Scaling::kYarn;
  FATHOM_TRY(rope.beta_fast, Positive(scaling, "beta_fast", 32));
  FATHOM_TRY(rope.beta_slow, Positive(scaling, "beta_slow", 1));
  FATHOM_TRY(rope.mscale, scaling.NumberOr("mscale", 1));
  FATHOM_TRY(rope.mscale_all_dim, scaling.NumberOr("mscale_all_dim", 0));
  if (rope.beta_fast >= rope.beta_slow) return Ok();
  return scaling.Wrong(
      Format("beta_fast {} is below beta_slow {}", rope.beta_fast, rope.beta_slow));
}

Status ParseLlama3(const JsonReader& scaling, RopeConfig& rope) {
  FATHOM_OK(CheckKnownKeys(
      scaling, {"type", "rope_type", "rope_theta", "factor", "original_max_position_embeddings",
                "low_freq_factor", "high_freq_factor"}));
  rope.scaling = RopeConfig::Scaling::kLlama3;
  FATHOM_TRY(rope.low_freq_factor, Positive(scaling, "low_freq_factor"));
  FATHOM_TRY(rope.high_freq_factor, Positive(scaling, "high_freq_factor"));
  if (rope.high_freq_factor > rope.low_freq_factor) return Ok();
  return scaling.Wrong(Format("high_freq_factor {} is not above low_freq_factor {}",
                              rope.high_freq_factor, rope.low_freq_factor));
}

Status ParseRopeScaling(const JsonReader& scaling, bool deepseek, RopeConfig& rope) {
  const std::string_view key = scaling.Has("rope_type") ? "rope_type" : "type";
  FATHOM_TRY(const std::string type, scaling.StringOr(key, "default"));
  if (type == "default") return CheckKnownKeys(scaling, {"type", "rope_type", "rope_theta"});
  // The keys of a type that is not known are not known either.
  const bool llama3 = type == "llama3" && !deepseek;
  if (type != "yarn" && !llama3) {
    return Unsupported(
        scaling, key, deepseek ? "\"yarn\" or \"default\"" : "\"yarn\", \"llama3\" or \"default\"");
  }
  FATHOM_TRY(rope.factor, Positive(scaling, "factor"));
  FATHOM_TRY(rope.original_max_positions,
             scaling.Int("original_max_position_embeddings", 1, kMaxPositions));
  return llama3 ? ParseLlama3(scaling, rope) : ParseYarn(scaling, rope);
}

// `rope_theta` and `rope_scaling`; newer files put both into `rope_parameters`.
Status ParseRope(const JsonReader& json, int64_t dim, bool deepseek, RopeConfig& rope) {
  rope.dim = dim;
  if (dim % 2 != 0) {
    return json.Wrong(Format("{} rotated values a head, an even number is needed", dim));
  }
  rope.interleaved = deepseek;
  if (deepseek) {
    FATHOM_TRY(rope.interleaved, json.BoolOr("rope_interleave", true));
  }
  FATHOM_TRY(rope.theta, Positive(json, "rope_theta", 10000));
  const std::string_view key = json.Has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  if (!json.Has(key)) return Ok();
  FATHOM_TRY(const JsonReader scaling, json.Object(key));
  FATHOM_TRY(rope.theta, Positive(scaling, "rope_theta", rope.theta));
  return ParseRopeScaling(scaling, deepseek, rope);
}

Result<ModelConfig::BlockQuantization> ParseQuantization(const JsonReader& json) {
  const std::string supported = "\"fp8\" with blocks (F8_E4M3 weights and weight_scale_inv)";
  FATHOM_TRY(const std::string method, json.String("quant_method"));
  if (method != "fp8") {
    return BadInput(Format("quantisation \"{}\" is not supported", method),
                    json.Where() + "/quant_method",
                    "supported: none (BF16, F16 or F32 weights) or " + supported);
  }
  FATHOM_OK(RequireString(json, "fmt", "e4m3"));
  FATHOM_OK(RequireString(json, "activation_scheme", "dynamic"));
  // "ue8m0" says that the scales are powers of two; as F32 tensors they read like any others.
  FATHOM_TRY(const std::string scale_format, json.StringOr("scale_fmt", "float"));
  if (scale_format != "float" && scale_format != "ue8m0") {
    return Unsupported(json, "scale_fmt", "\"float\" or \"ue8m0\"");
  }
  FATHOM_TRY(const JsonReader block, json.ArrayAt("weight_block_size"));
  const Json::Array& sides = block.value().as_array();
  const auto is_side = [](const Json& side) {
    return side.fits_int() && side.as_int() >= 1 && side.as_int() <= kMaxHidden;
  };
  if (sides.size() != 2 || !is_side(sides[0]) || !is_side(sides[1])) {
    return json.Mismatch("weight_block_size", "two numbers of rows and columns");
  }
  return ModelConfig::BlockQuantization{sides[0].as_int(), sides[1].as_int()};
}

Result<MlaConfig> ParseMla(const JsonReader& json) {
  MlaConfig mla;
  if (json.Has("q_lora_rank")) {
    FATHOM_TRY(mla.q_lora_rank, json.Int("q_lora_rank", 1, kMaxHidden));
  }
  FATHOM_TRY(mla.kv_lora_rank, json.Int("kv_lora_rank", 1, kMaxHidden));
  FATHOM_TRY(mla.qk_nope_head_dim, json.Int("qk_nope_head_dim", 1, kMaxHeadDim));
  FATHOM_TRY(mla.qk_rope_head_dim, json.Int("qk_rope_head_dim", 2, kMaxHeadDim));
  FATHOM_TRY(mla.v_head_dim, json.Int("v_head_dim", 1, kMaxHeadDim));
  return mla;
}

Result<GqaConfig> ParseGqa(const JsonReader& json, const ModelConfig& config) {
  GqaConfig gqa;
  gqa.qkv_bias = config.architecture == Architecture::kQwen2;
  FATHOM_TRY(gqa.kv_heads, json.IntOr("num_key_value_heads", config.heads, 1, kMaxHeads));
  if (config.heads % gqa.kv_heads != 0) {
    return json.Wrong(Format("{} attention heads cannot share {} key/value heads evenly",
                             config.heads, gqa.kv_heads));
  }
  if (!json.Has("head_dim") && config.hidden % config.heads != 0) {
    return json.Wrong(
        Format("hidden_size {} is not a multiple of {} attention heads, and "
               "there is no head_dim",
               config.hidden, config.heads));
  }
  FATHOM_TRY(gqa.head_dim, json.IntOr("head_dim", config.hidden / config.heads, 2, kMaxHeadDim));
  return gqa;
}

// How each architecture's own code routes: deepseek-ai's modelling files for V2 and V3.
Status ParseRoutingV3(const JsonReader& json, MoeConfig& moe) {
  FATHOM_OK(RequireString(json, "scoring_func", "sigmoid"));
  FATHOM_OK(RequireString(json, "topk_method", "noaux_tc"));
  moe.scoring = Scoring::kSigmoid;
  moe.correction_bias = true;
  if (moe.groups > 1) moe.group_score = GroupScore::kTopTwoSum;
  FATHOM_TRY(const bool normalize, json.BoolOr("norm_topk_prob", true));
  moe.normalize = normalize && moe.experts_per_token > 1;
  FATHOM_TRY(moe.scale, Positive(json, "routed_scaling_factor", 2.5));  // DeepseekV3Config's
  return Ok();
}

Status ParseRoutingV2(const JsonReader& json, MoeConfig& moe) {
  FATHOM_OK(RequireString(json, "scoring_func", "softmax"));
  FATHOM_TRY(const std::string method, json.StringOr("topk_method", "greedy"));
  if (method == "group_limited_greedy") {
    moe.group_score = GroupScore::kMax;
  } else if (method != "greedy") {
    return Unsupported(json, "topk_method", "\"greedy\" or \"group_limited_greedy\"");
  }
  FATHOM_TRY(const bool normalize, json.BoolOr("norm_topk_prob", false));
  FATHOM_TRY(const double scale, Positive(json, "routed_scaling_factor", 1));
  moe.normalize = normalize && moe.experts_per_token > 1;
  moe.scale = moe.normalize ? 1 : scale;
  return Ok();
}

Status CheckGroups(const JsonReader& json, const MoeConfig& moe) {
  if (moe.routed_experts % moe.groups != 0) {
    return json.Wrong(Format("{} routed experts cannot form {} groups of one size",
                             moe.routed_experts, moe.groups));
  }
  if (moe.top_groups > moe.groups) {
    return json.Wrong(Format("topk_group {} is more than n_group {}", moe.top_groups, moe.groups));
  }
  const int64_t group_size = moe.routed_experts / moe.groups;
  if (moe.experts_per_token > moe.top_groups * group_size) {
    return json.Wrong(Format("{} experts a token cannot come from {} groups of {} experts",
                             moe.experts_per_token, moe.top_groups, group_size));
  }
  if (moe.group_score == GroupScore::kTopTwoSum && group_size < 2) {
    return json.Wrong(Format("groups of {} expert have no two best scores", group_size));
  }
  return Ok();
}

// What a key that is absent means: the default of the architecture's configuration class, so that a
// file which transformers reads is read alike. None where the class has none either.
struct MoeDefaults {
  std::optional<int64_t> routed_experts;
  int64_t shared_experts;
  std::optional<int64_t> groups, top_groups;
  int64_t first_dense_layers;
};

// transformers, models/deepseek_v3/configuration_deepseek_v3.py (DeepseekV3Config) and
// models/deepseek_v2/configuration_deepseek_v2.py (DeepseekV2Config). V3's has 256 experts, the
// size of one model only: a file that does not say how many it has is taken for damaged.
constexpr MoeDefaults kV3Defaults = {std::nullopt, 1, 8, 4, 3};
constexpr MoeDefaults kV2Defaults = {64, 0, std::nullopt, std::nullopt, 0};

// A null is not a default: to the reference it is a value that it cannot compute with.
Result<int64_t> IntOrDefault(const JsonReader& json, std::string_view key,
                             std::optional<int64_t> fallback, int64_t low, int64_t high) {
  if (json.value().Find(key) == nullptr && fallback) return *fallback;
  return json.Int(key, low, high);
}

// V2 without groups routes greedily and leaves both numbers out or null.
Status ParseGroups(const JsonReader& json, const MoeDefaults& defaults, MoeConfig& moe) {
  FATHOM_TRY(const std::string method, json.StringOr("topk_method", ""));
  const bool needed = defaults.groups || method == "group_limited_greedy";
  if (!needed) return Ok();
  FATHOM_TRY(moe.groups, IntOrDefault(json, "n_group", defaults.groups, 1, kMaxExperts));
  FATHOM_TRY(moe.top_groups, IntOrDefault(json, "topk_group", defaults.top_groups, 1, kMaxExperts));
  return Ok();
}

Result<MoeConfig> ParseMoe(const JsonReader& json, const ModelConfig& config) {
  MoeConfig moe;
  const bool v3 = config.architecture == Architecture::kDeepseekV3;
  const MoeDefaults& defaults = v3 ? kV3Defaults : kV2Defaults;
  FATHOM_TRY(moe.routed_experts,
             IntOrDefault(json, "n_routed_experts", defaults.routed_experts, 1, kMaxExperts));
  if (config.layers * moe.routed_experts > kMaxExpertsOfModel) {
    return json.Wrong(
        Format("{} layers of {} experts are more than the {} experts this "
               "program takes",
               config.layers, moe.routed_experts, kMaxExpertsOfModel));
  }
  FATHOM_TRY(moe.shared_experts, json.IntOr("n_shared_experts", defaults.shared_experts, 0, 64));
  FATHOM_TRY(moe.experts_per_token, json.Int("num_experts_per_tok", 1, kMaxExperts));
  FATHOM_TRY(moe.intermediate, json.Int("moe_intermediate_size", 1, kMaxHidden));
  FATHOM_OK(ParseGroups(json, defaults, moe));
  FATHOM_TRY(moe.first_dense_layers, IntOrDefault(json, "first_k_dense_replace",
                                                  defaults.first_dense_layers, 0, config.layers));
  FATHOM_TRY(moe.layer_freq, json.IntOr("moe_layer_freq", 1, 1, kMaxLayers));
  FATHOM_OK(v3 ? ParseRoutingV3(json, moe) : ParseRoutingV2(json, moe));
  FATHOM_OK(CheckGroups(json, moe));
  return moe;
}

Status ParseDeepseek(const JsonReader& json, ModelConfig& config) {
  FATHOM_OK(RequireBool(json, "attention_bias", false));
  FATHOM_TRY(config.mla, ParseMla(json));
  FATHOM_OK(ParseRope(json, config.mla->qk_rope_head_dim, true, config.rope));
  if (config.architecture == Architecture::kDeepseekV3) {
    FATHOM_TRY(config.mtp_layers, json.IntOr("num_nextn_predict_layers", 0, 0, 16));
  }
  // Never without experts: first_k_dense_replace can make each layer dense, a missing key cannot.
  FATHOM_TRY(config.moe, ParseMoe(json, config));
  return Ok();
}

// Qwen2 and Llama. Qwen2's projections of q, k and v always have a bias, Llama's never.
Status ParseGrouped(const JsonReader& json, ModelConfig& config) {
  if (config.architecture == Architecture::kLlama) {
    FATHOM_OK(RequireBool(json, "attention_bias", false));
    FATHOM_OK(RequireBool(json, "mlp_bias", false));
  }
  FATHOM_OK(RequireBool(json, "use_sliding_window", false));
  FATHOM_OK(RequireBool(json, "use_mrope", false));
  FATHOM_TRY(const double rotary_part, json.NumberOr("partial_rotary_factor", 1));
  if (rotary_part != 1) return Unsupported(json, "partial_rotary_factor", "1");
  FATHOM_TRY(config.gqa, ParseGqa(json, config));
  return ParseRope(json, config.gqa->head_dim, false, config.rope);
}

Status ParseSizes(const JsonReader& json, ModelConfig& config) {
  FATHOM_TRY(config.hidden, json.Int("hidden_size", 1, kMaxHidden));
  FATHOM_TRY(config.layers, json.Int("num_hidden_layers", 1, kMaxLayers));
  FATHOM_TRY(config.vocab, json.Int("vocab_size", 1, kMaxVocab));
  FATHOM_TRY(config.heads, json.Int("num_attention_heads", 1, kMaxHeads));
  FATHOM_TRY(config.dense_intermediate, json.Int("intermediate_size", 1, kMaxIntermediate));
  FATHOM_TRY(config.max_positions, json.Int("max_position_embeddings", 1, kMaxPositions));
  FATHOM_TRY(config.rms_norm_eps, Positive(json, "rms_norm_eps"));
  return Ok();
}

}  // namespace

std::string_view ArchitectureName(Architecture architecture) {
  return kArchitectures[static_cast<size_t>(architecture)];
}

int64_t ModelConfig::KvValuesPerToken() const {
  if (mla) return mla->kv_lora_rank + mla->qk_rope_head_dim;
  return 2 * gqa->kv_heads * gqa->head_dim;
}

Result<ModelConfig> ParseModelConfig(const Json& json, std::string_view source) {
  const JsonReader root(json, JsonSource::Fetched(source));
  if (!json.is_object()) return root.Mismatch("", "an object");
  ModelConfig config;
  FATHOM_TRY(config.architecture, ParseArchitecture(root));
  FATHOM_OK(ParseSizes(root, config));
  FATHOM_OK(RequireString(root, "hidden_act", "silu"));
  FATHOM_TRY(config.tied_embeddings, root.BoolOr("tie_word_embeddings", false));
  FATHOM_TRY(config.dtype, ParseTorchDType(root));
  if (root.Has("quantization_config")) {
    FATHOM_TRY(const JsonReader quantization, root.Object("quantization_config"));
    FATHOM_TRY(config.fp8, ParseQuantization(quantization));
  }
  FATHOM_TRY(config.eos_token_ids, ParseTokenIds(root, "eos_token_id", config.vocab));
  const bool deepseek = config.architecture == Architecture::kDeepseekV3 ||
                        config.architecture == Architecture::kDeepseekV2;
  FATHOM_OK(deepseek ? ParseDeepseek(root, config) : ParseGrouped(root, config));
  return config;
}

}  // namespace fathom
