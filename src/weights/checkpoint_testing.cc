#include "weights/checkpoint_testing.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "io/file_system.h"
#include "spec/catalogue.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"
#include "tensor/float_codec.h"
#include "weights/safetensors_writer.h"

namespace fathom {
namespace {

ModelConfig Parse(std::string_view config_json) {
  auto json = ParseJson(config_json, "config.json");
  FATHOM_CHECK(json.ok());
  auto config = ParseModelConfig(*json, "config.json");
  FATHOM_CHECK(config.ok());
  return *config;
}

void WriteText(FileSystem& files, const std::string& path, std::string_view text) {
  auto file = files.Create(path);
  FATHOM_CHECK(file.ok());
  FATHOM_CHECK((*file)->Append(text).ok());
  FATHOM_CHECK((*file)->Commit().ok());
}

// FNV-1a: the same on every machine, unlike std::hash.
uint64_t HashName(std::string_view name) {
  uint64_t hash = 14695981039346656037U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

template <typename T>
void Put(std::vector<std::byte>& out, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof(T));
}

void PutFloat(std::vector<std::byte>& out, DType dtype, float value) {
  switch (dtype) {
    case DType::kF32:
      return Put(out, value);
    case DType::kF16:
      return Put(out, ToF16(value));
    case DType::kBF16:
      return Put(out, ToBf16(value));
    case DType::kF8E4M3:
      return Put(out, ToF8E4M3(value));
    default:
      FATHOM_CHECK(IsFloat(dtype));
  }
}

// Uniform over [-1, 1); std::uniform_real_distribution may differ between libraries.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  float Next() { return static_cast<float>(static_cast<double>(engine_() >> 11) * 0x1p-52 - 1.0); }

 private:
  std::mt19937_64 engine_;
};

// Middle and half width of the values of a tensor.
struct Spread {
  float middle;
  float half_width;
};

Spread SpreadOf(const TensorSpec& spec) {
  const float uniform = std::sqrt(3.0F);  // half width of a uniform value of deviation 1
  if (spec.component == Component::kNorm) return {1, 0.1F};
  if (spec.shape.size() == 1) return {0, 0.1F};
  if (spec.component == Component::kEmbedding) return {0, uniform};
  if (spec.usual == DType::kF8E4M3) return {0, 448};
  return {0, uniform / std::sqrt(static_cast<float>(spec.shape[1]))};
}

std::vector<std::byte> RandomData(const TensorSpec& spec, const Spread& spread, uint64_t seed) {
  Random random(seed ^ HashName(spec.name));
  std::vector<std::byte> data;
  for (int64_t i = 0; i < spec.elements(); ++i) {
    PutFloat(data, spec.usual, spread.middle + spread.half_width * random.Next());
  }
  return data;
}

// Scales bring codes of half width 448 to the deviation 1 / sqrt(columns) of their weight.
Spread ScaleSpread(const TensorSpec& weight) {
  const float middle = std::sqrt(3.0F / static_cast<float>(weight.shape[1])) / 448;
  return {middle, middle / 4};
}

}  // namespace

std::vector<TensorDeclaration> DeclareModel(const ModelConfig& config) {
  std::vector<TensorDeclaration> tensors;
  for (TensorSpec& spec : Catalogue(config)) {
    tensors.push_back({std::move(spec.name), spec.usual, std::move(spec.shape)});
  }
  return tensors;
}

void WriteRandomCheckpoint(FileSystem& files, const std::string& folder,
                           std::string_view config_json, const RandomCheckpointOptions& options) {
  const ModelConfig config = Parse(config_json);
  const std::vector<TensorSpec> catalogue = Catalogue(config);
  std::unordered_map<std::string_view, size_t> place;
  for (size_t i = 0; i < catalogue.size(); ++i) place.emplace(catalogue[i].name, i);

  FATHOM_CHECK(files.MakeDirectory(folder).ok());
  WriteText(files, JoinPath(folder, "config.json"), config_json);
  const std::vector<Shard> shards = PlanShards(DeclareModel(config), options.max_shard_bytes);
  auto writer = SafetensorsWriter::Create(files, folder, shards);
  FATHOM_CHECK(writer.ok());
  for (const Shard& shard : shards) {
    for (const TensorDeclaration& tensor : shard.tensors) {
      const size_t at = place.at(tensor.name);
      const TensorSpec& spec = catalogue[at];
      const Spread spread = spec.is_scale ? ScaleSpread(catalogue[at - 1]) : SpreadOf(spec);
      FATHOM_CHECK(writer->Append(RandomData(spec, spread, options.seed)).ok());
    }
  }
  FATHOM_CHECK(writer->Commit().ok());
}

void WriteHeaderOnlyCheckpoint(const std::string& folder, std::string_view config_json,
                               int64_t max_shard_bytes) {
  const auto files = MakePosixFileSystem();
  FATHOM_CHECK(files->MakeDirectory(folder).ok());
  WriteText(*files, JoinPath(folder, "config.json"), config_json);
  const std::vector<Shard> shards = PlanShards(DeclareModel(Parse(config_json)), max_shard_bytes);
  for (const Shard& shard : shards) {
    const std::string path = JoinPath(folder, shard.name);
    const std::string header = SafetensorsHeader(shard.tensors);
    WriteText(*files, path, header);
    uintmax_t size = header.size();
    for (const auto& tensor : shard.tensors) size += static_cast<uintmax_t>(tensor.bytes());
    std::filesystem::resize_file(path, size);
  }
  WriteText(*files, JoinPath(folder, "model.safetensors.index.json"),
            ShardIndexJson(shards).Dump(2));
}

std::string_view DeepseekR1ConfigJson() {
  return R"({
  "architectures": ["DeepseekV3ForCausalLM"],
  "attention_bias": false,
  "attention_dropout": 0.0,
  "aux_loss_alpha": 0.001,
  "bos_token_id": 0,
  "eos_token_id": 1,
  "ep_size": 1,
  "first_k_dense_replace": 3,
  "hidden_act": "silu",
  "hidden_size": 7168,
  "initializer_range": 0.02,
  "intermediate_size": 18432,
  "kv_lora_rank": 512,
  "max_position_embeddings": 163840,
  "model_type": "deepseek_v3",
  "moe_intermediate_size": 2048,
  "moe_layer_freq": 1,
  "n_group": 8,
  "n_routed_experts": 256,
  "n_shared_experts": 1,
  "norm_topk_prob": true,
  "num_attention_heads": 128,
  "num_experts_per_tok": 8,
  "num_hidden_layers": 61,
  "num_key_value_heads": 128,
  "num_nextn_predict_layers": 1,
  "pretraining_tp": 1,
  "q_lora_rank": 1536,
  "qk_nope_head_dim": 128,
  "qk_rope_head_dim": 64,
  "quantization_config": {
    "activation_scheme": "dynamic",
    "fmt": "e4m3",
    "quant_method": "fp8",
    "weight_block_size": [128, 128]
  },
  "rms_norm_eps": 1e-06,
  "rope_scaling": {
    "beta_fast": 32,
    "beta_slow": 1,
    "factor": 40,
    "mscale": 1.0,
    "mscale_all_dim": 1.0,
    "original_max_position_embeddings": 4096,
    "type": "yarn"
  },
  "rope_theta": 10000,
  "routed_scaling_factor": 2.5,
  "scoring_func": "sigmoid",
  "seq_aux": true,
  "tie_word_embeddings": false,
  "topk_group": 4,
  "topk_method": "noaux_tc",
  "torch_dtype": "bfloat16",
  "transformers_version": "4.46.3",
  "use_cache": true,
  "v_head_dim": 128,
  "vocab_size": 129280
})";
}

std::string_view TinyDeepseekV3ConfigJson() {
  return R"({
  "architectures": ["DeepseekV3ForCausalLM"],
  "bos_token_id": 0,
  "eos_token_id": 1,
  "first_k_dense_replace": 1,
  "hidden_act": "silu",
  "hidden_size": 136,
  "intermediate_size": 192,
  "kv_lora_rank": 64,
  "max_position_embeddings": 2560,
  "moe_intermediate_size": 72,
  "n_group": 4,
  "n_routed_experts": 8,
  "n_shared_experts": 1,
  "norm_topk_prob": true,
  "num_attention_heads": 3,
  "num_experts_per_tok": 3,
  "num_hidden_layers": 3,
  "num_nextn_predict_layers": 1,
  "q_lora_rank": 40,
  "qk_nope_head_dim": 20,
  "qk_rope_head_dim": 12,
  "quantization_config": {
    "activation_scheme": "dynamic",
    "fmt": "e4m3",
    "quant_method": "fp8",
    "weight_block_size": [128, 128]
  },
  "rms_norm_eps": 1e-06,
  "rope_scaling": {
    "beta_fast": 32,
    "beta_slow": 1,
    "factor": 40,
    "mscale": 1.0,
    "mscale_all_dim": 1.0,
    "original_max_position_embeddings": 64,
    "type": "yarn"
  },
  "rope_theta": 10000,
  "routed_scaling_factor": 2.5,
  "scoring_func": "sigmoid",
  "tie_word_embeddings": false,
  "topk_group": 2,
  "topk_method": "noaux_tc",
  "torch_dtype": "bfloat16",
  "v_head_dim": 24,
  "vocab_size": 97
})";
}

std::string_view TinyDeepseekV2ConfigJson() {
  return R"({
  "architectures": ["DeepseekV2ForCausalLM"],
  "bos_token_id": 0,
  "eos_token_id": 1,
  "first_k_dense_replace": 1,
  "hidden_act": "silu",
  "hidden_size": 64,
  "intermediate_size": 96,
  "kv_lora_rank": 32,
  "max_position_embeddings": 2560,
  "moe_intermediate_size": 24,
  "n_group": 1,
  "n_routed_experts": 8,
  "n_shared_experts": 2,
  "norm_topk_prob": false,
  "num_attention_heads": 2,
  "num_experts_per_tok": 3,
  "num_hidden_layers": 2,
  "q_lora_rank": null,
  "qk_nope_head_dim": 16,
  "qk_rope_head_dim": 8,
  "rms_norm_eps": 1e-06,
  "rope_scaling": {
    "beta_fast": 32,
    "beta_slow": 1,
    "factor": 40,
    "mscale": 0.707,
    "mscale_all_dim": 0.707,
    "original_max_position_embeddings": 64,
    "type": "yarn"
  },
  "rope_theta": 10000,
  "routed_scaling_factor": 1.0,
  "scoring_func": "softmax",
  "topk_group": 1,
  "topk_method": "greedy",
  "torch_dtype": "bfloat16",
  "v_head_dim": 16,
  "vocab_size": 97
})";
}

std::string_view TinyQwen2ConfigJson() {
  return R"({
  "architectures": ["Qwen2ForCausalLM"],
  "bos_token_id": 0,
  "eos_token_id": 1,
  "hidden_act": "silu",
  "hidden_size": 56,
  "intermediate_size": 80,
  "max_position_embeddings": 4096,
  "max_window_layers": 2,
  "num_attention_heads": 7,
  "num_hidden_layers": 2,
  "num_key_value_heads": 1,
  "rms_norm_eps": 1e-06,
  "rope_theta": 1000000.0,
  "sliding_window": 4096,
  "tie_word_embeddings": true,
  "torch_dtype": "bfloat16",
  "use_sliding_window": false,
  "vocab_size": 97
})";
}

std::string_view TinyLlamaConfigJson() {
  return R"({
  "architectures": ["LlamaForCausalLM"],
  "attention_bias": false,
  "bos_token_id": 0,
  "eos_token_id": [1, 2],
  "head_dim": 16,
  "hidden_act": "silu",
  "hidden_size": 48,
  "intermediate_size": 80,
  "max_position_embeddings": 4096,
  "mlp_bias": false,
  "num_attention_heads": 4,
  "num_hidden_layers": 2,
  "num_key_value_heads": 2,
  "rms_norm_eps": 1e-05,
  "rope_scaling": {
    "factor": 8.0,
    "high_freq_factor": 4.0,
    "low_freq_factor": 1.0,
    "original_max_position_embeddings": 64,
    "rope_type": "llama3"
  },
  "rope_theta": 500000.0,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16",
  "vocab_size": 97
})";
}

}  // namespace fathom
