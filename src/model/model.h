#ifndef FATHOM_MODEL_MODEL_H_
#define FATHOM_MODEL_MODEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "model/kv_cache.h"
#include "ops/compute.h"
#include "spec/model_config.h"
#include "spec/weight_format.h"
#include "tensor/mat_view.h"
#include "weights/checkpoint.h"

namespace fathom {

// The tokens of one step, of any mix of sequences: prompts, pieces of prompts, single decoding
// tokens. The tokens of one sequence stand together, in order of position; all earlier positions
// are in the cache already.
struct ForwardBatch {
  std::span<const int32_t> tokens;     // [n] ids inside the vocabulary (CHECK)
  std::span<const int32_t> positions;  // [n]
  std::span<const int32_t> sequences;  // [n] index into block_tables
  std::span<const std::vector<int32_t>>
      block_tables;  // cache blocks of each sequence, covering its positions
  std::span<const int32_t>
      logit_rows;  // [m] ascending indices into tokens: where logits are wanted
  // Empty, or [n]: the token that follows each (-1: none known). Rows with a successor run through
  // the MTP layer, which predicts the token after it; needs a model loaded with mtp.
  std::span<const int32_t> mtp_next;
};

// Valid until the next Forward.
struct ForwardResult {
  MatView<const float> logits;      // [m, vocab]
  MatView<const float> mtp_logits;  // [rows of logit_rows whose mtp_next >= 0, vocab]
};

// What a test may look at inside a step; null in production. One call a layer and kind.
class ForwardTrace {
 public:
  virtual ~ForwardTrace() = default;
  // The residual stream: the input of `layer`; layers: after the last layer; layers + 1: after the
  // final norm.
  virtual void Hidden(int64_t layer, MatView<const float> residual) = 0;
  virtual void AttentionOut(int64_t layer, MatView<const float> out) = 0;
  virtual void FfnOut(int64_t layer, MatView<const float> out) = 0;
  virtual void Routing(int64_t layer, MatView<const int32_t> experts,
                       MatView<const float> weights) = 0;
};

struct ModelOptions {
  bool mtp = false;  // load the MTP layer too
  WeightFormat weights = WeightFormat::kAuto;
};

// A loaded model. Threads: one Forward at a time.
class Model {
 public:
  // Verifies the checkpoint against the catalogue, then reads every weight once and packs it.
  // Memory while loading: the packed weights plus a few MB a thread. Errors name file and tensor.
  // `progress` hears of bytes done.
  static Result<std::unique_ptr<Model>> Load(const Checkpoint& checkpoint,
                                             const ModelOptions& options, const Compute& compute,
                                             Progress& progress);
  ~Model();

  const ModelConfig& config() const;
  bool has_mtp() const;

  ForwardResult Forward(const Compute& compute, const ForwardBatch& batch, KvCache& cache,
                        ForwardTrace* trace = nullptr);

 private:
  struct State;
  explicit Model(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fathom

#endif  // FATHOM_MODEL_MODEL_H_
