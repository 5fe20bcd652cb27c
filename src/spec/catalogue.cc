#include "spec/catalogue.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/math.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

constexpr std::array<DType, 3> kPlain = {DType::kBF16, DType::kF16, DType::kF32};
constexpr std::array<DType, 4> kQuantizable = {DType::kF8E4M3, DType::kBF16, DType::kF16,
                                               DType::kF32};
constexpr std::array<DType, 1> kScales = {DType::kF32};

// Walks a model and writes down its tensors.
class Writer {
 public:
  explicit Writer(const ModelConfig& config) : config_(config) {}

  std::vector<TensorSpec> Take() { return std::move(tensors_); }

  void Model() {
    Plain("model.embed_tokens.weight", {config_.vocab, config_.hidden}, Component::kEmbedding);
    for (int64_t layer = 0; layer < config_.layers; ++layer) Layer(layer);
    mtp_ = true;
    for (int64_t i = 0; i < config_.mtp_layers; ++i) MtpLayer(config_.layers + i);
    mtp_ = false;
    Norm("model.norm", config_.hidden);
    if (!config_.tied_embeddings) {
      Plain("lm_head.weight", {config_.vocab, config_.hidden}, Component::kHead);
    }
  }

 private:
  void Layer(int64_t layer) {
    prefix_ = Format("model.layers.{}.", layer);
    Norm("input_layernorm", config_.hidden);
    if (config_.mla) {
      LatentAttention(*config_.mla);
    } else {
      GroupedAttention(*config_.gqa);
    }
    Norm("post_attention_layernorm", config_.hidden);
    if (config_.IsMoeLayer(layer)) {
      Experts(*config_.moe);
    } else {
      FeedForward("mlp.", config_.dense_intermediate, Component::kDenseFfn);
    }
    prefix_.clear();
  }

  void MtpLayer(int64_t layer) {
    prefix_ = Format("model.layers.{}.", layer);
    Plain("embed_tokens.weight", {config_.vocab, config_.hidden}, Component::kEmbedding);
    Norm("enorm", config_.hidden);
    Norm("hnorm", config_.hidden);
    Plain("eh_proj.weight", {config_.hidden, 2 * config_.hidden}, Component::kMtpProjection);
    Norm("shared_head.norm", config_.hidden);
    Plain("shared_head.head.weight", {config_.vocab, config_.hidden}, Component::kHead);
    Layer(layer);
  }

  void LatentAttention(const MlaConfig& mla) {
    const int64_t qk_head_dim = mla.qk_nope_head_dim + mla.qk_rope_head_dim;
    if (mla.q_lora_rank) {
      Linear("self_attn.q_a_proj", *mla.q_lora_rank, config_.hidden, Component::kAttention);
      Norm("self_attn.q_a_layernorm", *mla.q_lora_rank);
      Linear("self_attn.q_b_proj", config_.heads * qk_head_dim, *mla.q_lora_rank,
             Component::kAttention);
    } else {
      Linear("self_attn.q_proj", config_.heads * qk_head_dim, config_.hidden,
             Component::kAttention);
    }
    Linear("self_attn.kv_a_proj_with_mqa", mla.kv_lora_rank + mla.qk_rope_head_dim, config_.hidden,
           Component::kAttention);
    Norm("self_attn.kv_a_layernorm", mla.kv_lora_rank);
    Linear("self_attn.kv_b_proj", config_.heads * (mla.qk_nope_head_dim + mla.v_head_dim),
           mla.kv_lora_rank, Component::kAttention);
    Linear("self_attn.o_proj", config_.hidden, config_.heads * mla.v_head_dim,
           Component::kAttention);
  }

  void GroupedAttention(const GqaConfig& gqa) {
    const int64_t q_rows = config_.heads * gqa.head_dim;
    const int64_t kv_rows = gqa.kv_heads * gqa.head_dim;
    Linear("self_attn.q_proj", q_rows, config_.hidden, Component::kAttention);
    Linear("self_attn.k_proj", kv_rows, config_.hidden, Component::kAttention);
    Linear("self_attn.v_proj", kv_rows, config_.hidden, Component::kAttention);
    Linear("self_attn.o_proj", config_.hidden, q_rows, Component::kAttention);
    if (!gqa.qkv_bias) return;
    Plain("self_attn.q_proj.bias", {q_rows}, Component::kAttention);
    Plain("self_attn.k_proj.bias", {kv_rows}, Component::kAttention);
    Plain("self_attn.v_proj.bias", {kv_rows}, Component::kAttention);
  }

  void Experts(const MoeConfig& moe) {
    Plain("mlp.gate.weight", {moe.routed_experts, config_.hidden}, Component::kGate);
    if (moe.correction_bias) {
      Plain("mlp.gate.e_score_correction_bias", {moe.routed_experts}, Component::kGate);
      tensors_.back().usual = DType::kF32;  // in every published checkpoint, whatever the others
    }
    for (int64_t expert = 0; expert < moe.routed_experts; ++expert) {
      FeedForward(Format("mlp.experts.{}.", expert), moe.intermediate, Component::kRoutedExperts);
    }
    if (moe.shared_experts > 0) {  // stored as one feed-forward of all their widths together
      FeedForward("mlp.shared_experts.", moe.shared_experts * moe.intermediate,
                  Component::kSharedExperts);
    }
  }

  void FeedForward(const std::string& name, int64_t width, Component component) {
    Linear(name + "gate_proj", width, config_.hidden, component);
    Linear(name + "up_proj", width, config_.hidden, component);
    Linear(name + "down_proj", config_.hidden, width, component);
  }

  void Linear(const std::string& name, int64_t rows, int64_t cols, Component component) {
    Plain(name + ".weight", {rows, cols}, component);
    if (!config_.fp8) return;
    tensors_.back().usual = DType::kF8E4M3;
    tensors_.back().supported = kQuantizable;
    Plain(name + ".weight_scale_inv",
          {CeilDiv(rows, config_.fp8->rows), CeilDiv(cols, config_.fp8->cols)}, component);
    tensors_.back().is_scale = true;
    tensors_.back().usual = DType::kF32;
    tensors_.back().supported = kScales;
  }

  void Norm(const std::string& name, int64_t width) {
    Plain(name + ".weight", {width}, Component::kNorm);
  }

  void Plain(const std::string& name, std::vector<int64_t> shape, Component component) {
    tensors_.push_back(
        {prefix_ + name, std::move(shape), component, mtp_, false, config_.dtype, kPlain});
  }

  const ModelConfig& config_;
  std::string prefix_;
  bool mtp_ = false;
  std::vector<TensorSpec> tensors_;
};

}  // namespace

std::string_view ComponentName(Component component) {
  constexpr std::array<std::string_view, kComponents> kNames = {
      "embedding", "attention",      "dense FFN", "routed experts", "shared experts", "gate",
      "norm",      "MTP projection", "head"};
  return kNames[static_cast<size_t>(component)];
}

int64_t TensorSpec::elements() const {
  int64_t product = 1;
  for (const int64_t dim : shape) product *= dim;
  return product;
}

std::vector<TensorSpec> Catalogue(const ModelConfig& config) {
  Writer writer(config);
  writer.Model();
  return writer.Take();
}

bool IsIgnoredTensor(const ModelConfig& config, std::string_view name) {
  return name.ends_with(".rotary_emb.inv_freq") ||
         (config.tied_embeddings && name == "lm_head.weight");
}

}  // namespace fathom
