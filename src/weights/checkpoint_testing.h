#ifndef FATHOM_WEIGHTS_CHECKPOINT_TESTING_H_
#define FATHOM_WEIGHTS_CHECKPOINT_TESTING_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_system.h"
#include "spec/model_config.h"
#include "weights/safetensors_writer.h"

namespace fathom {

// Every tensor of the model as the published checkpoints store it, MTP layers included.
std::vector<TensorDeclaration> DeclareModel(const ModelConfig& config);

struct RandomCheckpointOptions {
  uint64_t seed = 1;
  int64_t max_shard_bytes = std::numeric_limits<int64_t>::max();  // one file
};

// Writes a model folder with random weights: config.json is `config_json` as it is, the weights
// walk the catalogue. Matrices have standard deviation 1 / sqrt(columns), so that activations keep
// their size; embeddings 1; norms lie in 1 +- 0.1; biases in +- 0.1; FP8 codes are spread over the
// finite ones with scales of about 1 / (200 sqrt(columns)). Each tensor depends on seed and name
// only. Failures end the test program (CHECK).
void WriteRandomCheckpoint(FileSystem& files, const std::string& folder,
                           std::string_view config_json,
                           const RandomCheckpointOptions& options = {});

// Writes a model folder on the machine's disk that has all headers and no data: the files have
// their true size and are one hole after the header. For looking at models too large to have.
void WriteHeaderOnlyCheckpoint(const std::string& folder, std::string_view config_json,
                               int64_t max_shard_bytes);

}  // namespace fathom

#endif  // FATHOM_WEIGHTS_CHECKPOINT_TESTING_H_
