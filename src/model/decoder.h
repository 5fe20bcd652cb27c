#ifndef FATHOM_MODEL_DECODER_H_
#define FATHOM_MODEL_DECODER_H_

#include <cstdint>
#include <span>

#include "model/decoder_layer.h"
#include "model/model.h"
#include "model/model_weights.h"
#include "model/mtp.h"
#include "model/step.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

// The whole model over one step: embed -> layers -> norm -> head, and the MTP layer beside the
// head. Owns the buffers of a step, which are as large as the largest so far: once warm, a step
// allocates nothing.
class Decoder {
 public:
  explicit Decoder(const ModelConfig& config);

  // As Model::Forward.
  ForwardResult Forward(const Step& step, const ModelWeights& weights, const ForwardBatch& batch);

  // The rotations of the step's tokens, for Step; valid until the next call.
  const StepRotations& Rotations(std::span<const int32_t> positions);

 private:
  void Embed(const Step& step, const ModelWeights& weights, std::span<const int32_t> tokens);
  void Normalize(const Step& step, int64_t layer, std::span<const float> weight);
  void Head(const Step& step, const ModelWeights& weights, std::span<const int32_t> rows);

  const double norm_eps_;
  StepRotations rotations_;
  DecoderLayer layer_;
  MtpLayer mtp_;
  Matrix<float> h_;       // [n, hidden]: the residual stream, at last after the final norm
  Matrix<float> wanted_;  // [m, hidden]: rows of h_ that get logits
  Matrix<float> logits_;  // [m, vocab]
};

}  // namespace fathom

#endif  // FATHOM_MODEL_DECODER_H_
