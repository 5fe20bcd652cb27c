#ifndef FATHOM_CLI_MODEL_FLAGS_H_
#define FATHOM_CLI_MODEL_FLAGS_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/command_line.h"
#include "ops/compute.h"
#include "spec/model_config.h"
#include "spec/weight_format.h"
#include "tensor/dtype.h"

namespace fathom {

// How long a sequence may be: as long as max_model_len, which the model has a bound for.
struct ContextLength {
  int64_t max_model_len = 0;
  int64_t model_positions = 0;

  // What to do about a text that is longer.
  std::string Fix() const;
};

// The flags of every command that runs a model.
struct ModelFlags {
  std::string dtype = "auto";
  std::string kv_cache_dtype = "auto";
  std::string weights = "auto";
  int threads = 0;
  int64_t max_model_len = 0;
  int64_t max_num_batched_tokens = 512;

  void Declare(CommandLine& line);
  // Errors (kBadInput): a number out of range.
  Status Check(const CommandLine& line) const;

  // auto: bfloat16 for checkpoints that say so, else float32.
  Activations ActivationsFor(const ModelConfig& config) const;
  // auto: as wide as the activations.
  DType KvDtypeFor(const ModelConfig& config) const;
  WeightFormat Weights() const;
  int ThreadCount() const;
};

}  // namespace fathom

#endif  // FATHOM_CLI_MODEL_FLAGS_H_
