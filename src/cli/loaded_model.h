#ifndef FATHOM_CLI_LOADED_MODEL_H_
#define FATHOM_CLI_LOADED_MODEL_H_

#include <cstdint>
#include <memory>

#include "base/progress.h"
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
  int64_t max_model_len = 0;  // tokens of one sequence; 0: the model's, or what fits
  int64_t max_num_seqs = 1;
  bool mtp = false;
};

// A model in memory and an engine on it.
struct LoadedModel {
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<Model> model;
  std::unique_ptr<Engine> engine;
  int64_t max_model_len = 0;
  double load_seconds = 0;
};

// Loads the weights; `progress` hears of one phase. Errors: those of SizeEngine (kDoesNotFit when
// weights and cache need more memory than there is) before anything is read; those of Model::Load.
Result<LoadedModel> LoadModel(CommandContext& context, const ModelFolder& folder,
                              const ModelFlags& flags, const EngineNeeds& needs,
                              Progress& progress);

}  // namespace fathom

#endif  // FATHOM_CLI_LOADED_MODEL_H_
