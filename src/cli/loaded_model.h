#ifndef FATHOM_CLI_LOADED_MODEL_H_
#define FATHOM_CLI_LOADED_MODEL_H_

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/thread_pool.h"
#include "cli/command.h"
#include "cli/model_flags.h"
#include "cli/model_folder.h"
#include "engine/engine.h"
#include "model/model.h"

namespace fathom {

// What a command wants to do with a model.
struct EngineNeeds {
  int64_t max_model_len = 0;  // tokens of one sequence
  int64_t cache_tokens = 0;   // of all sequences at once
  int64_t max_sequences = 1;
  bool mtp = false;
};

// A model in memory and an engine on it.
struct LoadedModel {
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<Model> model;
  std::unique_ptr<Engine> engine;
  double load_seconds = 0;
};

// The longest sequence: --max-model-len, or the model's own length, at most 16384. Errors
// (kBadInput): more than the model has positions for.
Result<int64_t> MaxModelLen(const ModelFlags& flags, const ModelConfig& config);

// Loads the weights, with phases on standard error. Errors: kDoesNotFit when weights and cache need
// more memory than there is, before anything is read; those of Model::Load.
Result<LoadedModel> LoadModel(CommandContext& context, const ModelFolder& folder,
                              const ModelFlags& flags, const EngineNeeds& needs);

}  // namespace fathom

#endif  // FATHOM_CLI_LOADED_MODEL_H_
