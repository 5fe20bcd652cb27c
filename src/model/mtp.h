#ifndef FATHOM_MODEL_MTP_H_
#define FATHOM_MODEL_MTP_H_

#include <cstdint>
#include <vector>

#include "model/decoder_layer.h"
#include "model/model.h"
#include "model/model_weights.h"
#include "model/step.h"
#include "ops/compute.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

// Multi-token prediction (DeepSeek-V3, section 2.2; docs/formats/deepseek.md 24 to 28): from the
// main model's state at token i (after its final norm) and the embedding of token i+1 to the logits
// of token i+2:
//   x = W_eh [enorm(embed(token i+1)) | hnorm(state i)];  one decoder layer;  norm;  head
// The layer has a causal context of its own rows, in the cache layer after the main model's.
class MtpLayer {
 public:
  explicit MtpLayer(const ModelConfig& config);

  // Runs the rows of `batch` whose mtp_next is known, in the buffers of `layer`. state: [n,
  // hidden]. Returns the logits of those among batch.logit_rows, valid until the next call.
  MatView<const float> Forward(const Step& main, const MtpWeights& weights,
                               const ForwardBatch& batch, MatView<const float> state,
                               DecoderLayer& layer);

 private:
  void SelectRows(const ForwardBatch& batch);
  void JoinInputs(const Compute& compute, const MtpWeights& weights, const ForwardBatch& batch,
                  MatView<const float> state);
  MatView<const float> Logits(const Compute& compute, const MtpWeights& weights,
                              const ForwardBatch& batch);

  const double norm_eps_;
  const int64_t cache_layer_;
  StepRotations rotations_;

  std::vector<int64_t> rows_;       // [r]: rows of the batch that take part
  std::vector<int32_t> positions_;  // [r]
  std::vector<int32_t> sequences_;  // [r]
  Matrix<float> joined_;            // [r, 2 * hidden]
  Matrix<float> h_;                 // [r, hidden]
  Matrix<float> wanted_;            // [rows with logits, hidden]
  Matrix<float> logits_;            // [rows with logits, vocab]
};

}  // namespace fathom

#endif  // FATHOM_MODEL_MTP_H_
