#ifndef FATHOM_MODEL_STEP_BYTES_H_
#define FATHOM_MODEL_STEP_BYTES_H_

#include <cstdint>

#include "spec/model_config.h"

namespace fathom {

// The largest step a model will be asked for.
struct StepLimits {
  int64_t tokens = 1;
  int64_t logit_rows = 1;
  int64_t threads = 1;
  bool mtp = false;   // rows go through the MTP layer as well
  bool int8 = false;  // activations are quantised for products
};

// Bytes of all buffers that Model::Forward keeps once it has run such a step over a long context.
// An upper bound: what a step does not need (MTP rows at a prompt's end, splits of a short context)
// is counted.
int64_t StepBytes(const ModelConfig& config, const StepLimits& limits);

}  // namespace fathom

#endif  // FATHOM_MODEL_STEP_BYTES_H_
