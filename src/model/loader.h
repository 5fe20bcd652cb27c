#ifndef FATHOM_MODEL_LOADER_H_
#define FATHOM_MODEL_LOADER_H_

#include "base/progress.h"
#include "base/result.h"
#include "model/model_weights.h"
#include "ops/compute.h"
#include "spec/weight_format.h"
#include "weights/checkpoint.h"

namespace fathom {

// Verifies the checkpoint against its configuration, then reads and packs all weights, linear ones
// in `format`; those of the MTP layer only with `mtp`. Errors: what Checkpoint::Verify and Read
// say; a weight that is not a finite number (kBadInput, names file, tensor and place); `mtp`
// without exactly one MTP layer.
Result<ModelWeights> LoadWeights(const Checkpoint& checkpoint, WeightFormat format, bool mtp,
                                 const Compute& compute, Progress& progress);

}  // namespace fathom

#endif  // FATHOM_MODEL_LOADER_H_
