#include "model/loader.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "base/format.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/model_weights.h"
#include "ops/compute.h"
#include "spec/model_config.h"
#include "spec/weight_format.h"
#include "weights/checkpoint.h"
#include "weights/weight_reader.h"

namespace fathom {
namespace {

// Asks `reader` for the weights of one part of the model: the tensors under `name` go to `out`.
// The names are those of the published checkpoints.

void PlanMlp(WeightReader& reader, const std::string& name, MlpWeights& out) {
  reader.Linear(name + "gate_proj.weight", out.gate);
  reader.Linear(name + "up_proj.weight", out.up);
  reader.Linear(name + "down_proj.weight", out.down);
}

void PlanMoe(WeightReader& reader, const MoeConfig& moe, const std::string& name, MoeWeights& out) {
  reader.Matrix(name + "gate.weight", out.router);
  if (moe.correction_bias) reader.Vector(name + "gate.e_score_correction_bias", out.choice_bias);
  out.experts.resize(static_cast<size_t>(moe.routed_experts));
  for (size_t e = 0; e < out.experts.size(); ++e) {
    PlanMlp(reader, name + Format("experts.{}.", e), out.experts[e]);
  }
  if (moe.shared_experts > 0) PlanMlp(reader, name + "shared_experts.", out.shared.emplace());
}

void PlanMla(WeightReader& reader, const ModelConfig& config, const std::string& name,
             MlaWeights& out) {
  if (config.mla->q_lora_rank) {
    reader.Linear(name + "q_a_proj.weight", out.q_a);
    reader.Vector(name + "q_a_layernorm.weight", out.q_a_norm);
    reader.Linear(name + "q_b_proj.weight", out.q_b);
  } else {
    reader.Linear(name + "q_proj.weight", out.q_b);
  }
  reader.Linear(name + "kv_a_proj_with_mqa.weight", out.kv_a);
  reader.Vector(name + "kv_a_layernorm.weight", out.kv_a_norm);
  out.w_uk.resize(static_cast<size_t>(config.heads));
  out.w_uv.resize(static_cast<size_t>(config.heads));
  reader.LatentHeads(name + "kv_b_proj.weight", config.mla->qk_nope_head_dim, out.w_uk, out.w_uv);
  reader.Linear(name + "o_proj.weight", out.o);
}

void PlanGqa(WeightReader& reader, const GqaConfig& gqa, const std::string& name, GqaWeights& out) {
  reader.Linear(name + "q_proj.weight", out.q);
  reader.Linear(name + "k_proj.weight", out.k);
  reader.Linear(name + "v_proj.weight", out.v);
  reader.Linear(name + "o_proj.weight", out.o);
  if (!gqa.qkv_bias) return;
  reader.Vector(name + "q_proj.bias", out.q_bias);
  reader.Vector(name + "k_proj.bias", out.k_bias);
  reader.Vector(name + "v_proj.bias", out.v_bias);
}

// Layer index config.layers is the MTP layer's decoder layer.
void PlanLayer(WeightReader& reader, const ModelConfig& config, int64_t layer, LayerWeights& out) {
  const std::string name = Format("model.layers.{}.", layer);
  reader.Vector(name + "input_layernorm.weight", out.attention_norm);
  reader.Vector(name + "post_attention_layernorm.weight", out.ffn_norm);
  if (config.mla) PlanMla(reader, config, name + "self_attn.", out.mla.emplace());
  if (config.gqa) PlanGqa(reader, *config.gqa, name + "self_attn.", out.gqa.emplace());
  if (config.IsMoeLayer(layer)) {
    PlanMoe(reader, *config.moe, name + "mlp.", out.moe.emplace());
  } else {
    PlanMlp(reader, name + "mlp.", out.dense.emplace());
  }
}

void PlanMtp(WeightReader& reader, const ModelConfig& config, MtpWeights& out) {
  const std::string name = Format("model.layers.{}.", config.layers);
  reader.Matrix(name + "embed_tokens.weight", out.embedding);
  reader.Vector(name + "enorm.weight", out.embedding_norm);
  reader.Vector(name + "hnorm.weight", out.hidden_norm);
  reader.Linear(name + "eh_proj.weight", out.projection);
  PlanLayer(reader, config, config.layers, out.layer);
  reader.Vector(name + "shared_head.norm.weight", out.head_norm);
  reader.Linear(name + "shared_head.head.weight", out.head);
}

void PlanModel(WeightReader& reader, const ModelConfig& config, bool mtp, ModelWeights& out) {
  reader.Matrix("model.embed_tokens.weight", out.embedding);
  out.layers.resize(static_cast<size_t>(config.layers));
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    PlanLayer(reader, config, layer, out.layers[static_cast<size_t>(layer)]);
  }
  reader.Vector("model.norm.weight", out.norm);
  if (!config.tied_embeddings) reader.Linear("lm_head.weight", out.head.emplace());
  if (mtp) PlanMtp(reader, config, out.mtp.emplace());
}

Status CheckMtp(const Checkpoint& checkpoint) {
  const int64_t layers = checkpoint.config().mtp_layers;
  if (layers == 1) return Ok();
  return BadInput(
      Format("the model has {} multi-token prediction layers, exactly 1 is supported", layers),
      checkpoint.PathOf("config.json") + ": /num_nextn_predict_layers",
      "run without multi-token prediction");
}

}  // namespace

Result<ModelWeights> LoadWeights(const Checkpoint& checkpoint, WeightFormat format, bool mtp,
                                 const Compute& compute, Progress& progress) {
  if (mtp) FATHOM_OK(CheckMtp(checkpoint));
  FATHOM_OK(checkpoint.Verify(mtp));
  try {
    ModelWeights weights;
    WeightReader reader(checkpoint, format);
    PlanModel(reader, checkpoint.config(), mtp, weights);
    FATHOM_OK(reader.Run(compute, progress));
    return weights;
  } catch (const std::bad_alloc&) {
    return DoesNotFit(
        Format("not enough memory for {} of weights", HumanBytes(checkpoint.total_bytes())),
        checkpoint.folder(), "free memory, or take a machine with more");
  }
}

}  // namespace fathom
