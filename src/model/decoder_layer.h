#ifndef FATHOM_MODEL_DECODER_LAYER_H_
#define FATHOM_MODEL_DECODER_LAYER_H_

#include <cstdint>
#include <optional>
#include <span>

#include "model/dense_mlp.h"
#include "model/gqa.h"
#include "model/mla.h"
#include "model/model_weights.h"
#include "model/moe.h"
#include "model/step.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

// One pre-norm transformer layer over the residual stream h:
//   h += attention(norm(h));  h += ffn(norm(h))
// The same object runs all layers of a model, one after the other: it holds only their buffers.
class DecoderLayer {
 public:
  explicit DecoderLayer(const ModelConfig& config);

  // h: [n, hidden], in place. `layer` is where the rows lie in the cache.
  void Forward(const Step& step, int64_t layer, const LayerWeights& weights, MatView<float> h);

 private:
  void AddBranch(const Step& step, MatView<float> h);
  void Normalize(const Step& step, std::span<const float> weight, MatView<const float> h);

  const double norm_eps_;
  std::optional<MlaAttention> mla_;
  std::optional<GqaAttention> gqa_;
  DenseMlp dense_;
  std::optional<MoeMlp> moe_;
  Matrix<float> normed_;  // [n, hidden]
  Matrix<float> branch_;  // [n, hidden]: what attention or ffn adds
};

}  // namespace fathom

#endif  // FATHOM_MODEL_DECODER_LAYER_H_
