#ifndef FATHOM_MODEL_STEP_H_
#define FATHOM_MODEL_STEP_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/kv_cache.h"
#include "model/model.h"
#include "model/rope_frequencies.h"
#include "ops/compute.h"
#include "spec/model_config.h"
#include "tensor/mat_view.h"

namespace fathom {

// What all layers of one step share: where each of its n tokens stands, and what to run on.
struct Step {
  const Compute& compute;
  KvCache& cache;
  std::span<const int32_t> positions;  // [n]
  std::span<const int32_t> sequences;  // [n], into block_tables
  std::span<const std::vector<int32_t>> block_tables;
  MatView<const float> cos, sin;  // [n, rope dim / 2], of each token's position
  ForwardTrace* trace = nullptr;

  int64_t tokens() const { return static_cast<int64_t>(positions.size()); }
  int64_t Position(int64_t token) const { return positions[static_cast<size_t>(token)]; }
  std::span<const int32_t> BlockTable(int64_t token) const {
    return block_tables[static_cast<size_t>(sequences[static_cast<size_t>(token)])];
  }
};

// The rotation of each token of a step.
class StepRotations {
 public:
  explicit StepRotations(const RopeConfig& rope) : frequencies_(MakeRopeFrequencies(rope)) {}

  void Fill(std::span<const int32_t> positions);
  MatView<const float> cos() const { return cos_.view(); }
  MatView<const float> sin() const { return sin_.view(); }

 private:
  RopeFrequencies frequencies_;
  Matrix<float> cos_, sin_;  // [n, rope dim / 2]
};

}  // namespace fathom

#endif  // FATHOM_MODEL_STEP_H_
