#ifndef FATHOM_SPEC_CATALOGUE_H_
#define FATHOM_SPEC_CATALOGUE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/model_config.h"
#include "tensor/dtype.h"

namespace fathom {

// The part of a model a tensor belongs to.
enum class Component {
  kEmbedding,
  kAttention,  // the projections, with their biases
  kDenseFfn,   // the feed-forward of layers without experts
  kRoutedExperts,
  kSharedExperts,
  kGate,           // the router's matrix and its correction bias
  kNorm,           // every RMSNorm weight
  kMtpProjection,  // eh_proj
  kHead,
};
inline constexpr size_t kComponents = 9;

// "embedding", "attention", "dense FFN", "routed experts", ...: for reports.
std::string_view ComponentName(Component component);

// One tensor that a checkpoint of a model holds.
struct TensorSpec {
  std::string name;  // "model.layers.0.self_attn.o_proj.weight"
  std::vector<int64_t> shape;
  Component component = Component::kNorm;
  bool mtp = false;                  // belongs to a multi-token-prediction layer
  bool is_scale = false;             // block scales ("..._scale_inv") of the tensor right before it
  DType usual = DType::kBF16;        // as the published checkpoints store it
  std::span<const DType> supported;  // every type it may have; static storage

  int64_t elements() const;
};

// Every tensor of the model, as a function of its configuration: embedding, layers in order, MTP
// layers, final norm, head. Names, shapes and types are those of the published checkpoints
// (deepseek-ai V2, V3 and R1; Qwen2.5; Llama 3).
//
// Tied embeddings have no lm_head. With FP8 blocks every linear weight of the decoder layers is
// F8_E4M3 [out, in] and its scales, F32 [ceil(out / rows), ceil(in / cols)], stand right after it;
// the router, eh_proj, embeddings and heads stay in config.dtype. A linear weight may also be BF16,
// F16 or F32; its scales are absent then.
std::vector<TensorSpec> Catalogue(const ModelConfig& config);

// Tensors that may lie in a checkpoint and mean nothing: rotary tables that old writers saved, and
// the head of a model whose head is its embedding.
bool IsIgnoredTensor(const ModelConfig& config, std::string_view name);

}  // namespace fathom

#endif  // FATHOM_SPEC_CATALOGUE_H_
