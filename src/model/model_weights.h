#ifndef FATHOM_MODEL_MODEL_WEIGHTS_H_
#define FATHOM_MODEL_MODEL_WEIGHTS_H_

#include <optional>
#include <vector>

#include "ops/packed_matrix.h"

namespace fathom {

// The weights of each part of a model as the operators want them. A matrix is [outputs, inputs].

// Multi-head latent attention in absorbed form. kv_b_proj [heads * (nope + v_dim), kv_lora] is kept
// as its two halves a head, one transposed: together exactly its own size.
struct MlaWeights {
  PackedMatrix q_a;                // [q_lora, hidden]; empty without q LoRA
  std::vector<float> q_a_norm;     // [q_lora]
  PackedMatrix q_b;                // [heads * (nope + rope), q_lora, or hidden without q LoRA]
  PackedMatrix kv_a;               // [kv_lora + rope, hidden]
  std::vector<float> kv_a_norm;    // [kv_lora]
  std::vector<PackedMatrix> w_uk;  // a head: [kv_lora, nope], takes q_nope to the latent space
  std::vector<PackedMatrix> w_uv;  // a head: [v_dim, kv_lora], takes the latent to values
  PackedMatrix o;                  // [hidden, heads * v_dim]
};

struct GqaWeights {
  PackedMatrix q;             // [heads * head_dim, hidden]
  PackedMatrix k, v;          // [kv_heads * head_dim, hidden]
  std::vector<float> q_bias;  // [heads * head_dim]; empty when the model has none
  std::vector<float> k_bias, v_bias;
  PackedMatrix o;  // [hidden, heads * head_dim]
};

struct MlpWeights {
  PackedMatrix gate, up;  // [intermediate, hidden]
  PackedMatrix down;      // [hidden, intermediate]
};

struct MoeWeights {
  PackedMatrix router;             // [experts, hidden]
  std::vector<float> choice_bias;  // [experts]; empty when the model has none
  std::vector<MlpWeights> experts;
  std::optional<MlpWeights> shared;  // all shared experts as one
};

// One decoder layer; of mla and gqa, and of dense and moe, exactly one is set.
struct LayerWeights {
  std::vector<float> attention_norm;  // [hidden]
  std::optional<MlaWeights> mla;
  std::optional<GqaWeights> gqa;
  std::vector<float> ffn_norm;  // [hidden]
  std::optional<MlpWeights> dense;
  std::optional<MoeWeights> moe;
};

// The multi-token prediction layer. Its embedding and head are copies of the main model's in every
// published checkpoint, but they are stored, so they are what it uses.
struct MtpWeights {
  PackedMatrix embedding;             // [vocab, hidden]
  std::vector<float> embedding_norm;  // enorm [hidden]
  std::vector<float> hidden_norm;     // hnorm [hidden]
  PackedMatrix projection;            // eh_proj [hidden, 2 * hidden]
  LayerWeights layer;
  std::vector<float> head_norm;  // shared_head.norm [hidden]
  PackedMatrix head;             // [vocab, hidden]
};

struct ModelWeights {
  PackedMatrix embedding;  // [vocab, hidden]
  std::vector<LayerWeights> layers;
  std::vector<float> norm;           // [hidden]
  std::optional<PackedMatrix> head;  // [vocab, hidden]; none: the embedding serves (tied)
  std::optional<MtpWeights> mtp;

  const PackedMatrix& Head() const { return head ? *head : embedding; }
};

}  // namespace fathom

#endif  // FATHOM_MODEL_MODEL_WEIGHTS_H_
