#ifndef FATHOM_SPEC_MODEL_CONFIG_H_
#define FATHOM_SPEC_MODEL_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tensor/dtype.h"

namespace fathom {

enum class Architecture { kDeepseekV3, kDeepseekV2, kQwen2, kLlama };

// "DeepseekV3ForCausalLM", ...: as config.json's `architectures` names them.
std::string_view ArchitectureName(Architecture architecture);

// Rotary embedding and its scaling beyond the trained context.
struct RopeConfig {
  enum class Scaling { kNone, kYarn, kLlama3 };

  int64_t dim = 0;  // rotated values a head; even
  double theta = 10000;
  bool interleaved = false;  // pairs (2i, 2i+1) as DeepSeek stores them; else (i, i + dim/2)
  Scaling scaling = Scaling::kNone;
  double factor = 1;
  int64_t original_max_positions = 0;
  double beta_fast = 32, beta_slow = 1, mscale = 1, mscale_all_dim = 0;  // YaRN
  double low_freq_factor = 1, high_freq_factor = 4;                      // llama3
};

// Multi-head latent attention (DeepSeek-V2 section 2.1).
struct MlaConfig {
  std::optional<int64_t> q_lora_rank;  // none: one q_proj without a norm
  int64_t kv_lora_rank = 0;
  int64_t qk_nope_head_dim = 0;
  int64_t qk_rope_head_dim = 0;
  int64_t v_head_dim = 0;
};

// Grouped-query attention (Qwen2, Llama).
struct GqaConfig {
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  bool qkv_bias = false;
};

enum class Scoring { kSigmoid, kSoftmax };
enum class GroupScore { kNone, kMax, kTopTwoSum };  // kNone: experts are not limited to groups

struct MoeConfig {
  int64_t routed_experts = 0;
  int64_t shared_experts = 0;
  int64_t experts_per_token = 0;
  int64_t intermediate = 0;  // width of one expert
  int64_t groups = 1;
  int64_t top_groups = 1;
  int64_t first_dense_layers = 0;  // first_k_dense_replace
  int64_t layer_freq = 1;
  Scoring scoring = Scoring::kSoftmax;
  GroupScore group_score = GroupScore::kNone;
  bool correction_bias = false;  // e_score_correction_bias is there (noaux_tc)
  // What becomes of the chosen scores: V3 normalises and scales; V2 does one or the other
  // (docs/formats/deepseek.md 17).
  bool normalize = false;
  double scale = 1;
};

struct ModelConfig {
  Architecture architecture = Architecture::kDeepseekV3;
  int64_t hidden = 0;
  int64_t layers = 0;      // without MTP layers
  int64_t mtp_layers = 0;  // num_nextn_predict_layers
  int64_t vocab = 0;
  int64_t heads = 0;
  int64_t dense_intermediate = 0;
  int64_t max_positions = 0;
  double rms_norm_eps = 1e-6;
  // Of q_a_layernorm and kv_a_layernorm, whatever rms_norm_eps says (docs/formats/deepseek.md 10).
  double latent_norm_eps = 1e-6;
  bool tied_embeddings = false;
  DType dtype = DType::kBF16;  // torch_dtype
  RopeConfig rope;
  std::optional<MlaConfig> mla;  // exactly one of mla and gqa is set
  std::optional<GqaConfig> gqa;
  std::optional<MoeConfig> moe;
  // FP8 block quantisation of linear weights: block rows and columns; none: not quantised.
  struct BlockQuantization {
    int64_t rows = 128;
    int64_t cols = 128;
  };
  std::optional<BlockQuantization> fp8;
  std::vector<int64_t> eos_token_ids;

  bool IsMoeLayer(int64_t layer) const {
    return moe && layer >= moe->first_dense_layers && layer % moe->layer_freq == 0;
  }
  // Values the cache keeps a token a layer: MLA kv_lora_rank + qk_rope_head_dim, GQA 2 * kv_heads *
  // head_dim.
  int64_t KvValuesPerToken() const;
};

// Reads a Hugging Face config.json. Errors (kBadInput) name the JSON path, the value and what is
// supported: an unknown architecture, quantisation, rope type, activation or a value out of range
// is refused, never guessed. `source` is the file's name for messages.
Result<ModelConfig> ParseModelConfig(const Json& json, std::string_view source);

}  // namespace fathom

#endif  // FATHOM_SPEC_MODEL_CONFIG_H_
