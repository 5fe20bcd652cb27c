#ifndef FATHOM_CLI_LOADED_MODEL_H_
#define FATHOM_CLI_LOADED_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "base/progress.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "cli/command.h"
#include "cli/model_flags.h"
#include "cli/model_folder.h"
#include "engine/engine.h"
#include "model/model.h"
#include "ops/compute.h"
#include "ops/profile.h"
#include "sched/mindie_settings.h"

namespace fathom {

// What a command wants to do with a model.
struct EngineNeeds {
  int64_t max_model_len = 0;  // tokens of one sequence; 0: the model's, or what fits
  int64_t max_num_seqs = 1;
  bool mtp = false;
  int64_t kv_cache_bytes = 0;  // 0: what is wanted, at most what is left
  int64_t swap_bytes = 0;
  bool prefix_cache = true;
  // Its limits hold, and its policy. It was cut to the model (CutToModel).
  std::optional<MindieSettings> mindie = std::nullopt;
  int64_t memory_bytes = 0;  // most that the program may take; 0: what the machine has
};

// A model in memory and an engine on it.
struct LoadedModel {
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<Model> model;
  std::unique_ptr<Engine> engine;
  Compute compute;     // what they compute on
  double seconds = 0;  // that loading took
};

// The engine's sizes for this machine. Errors, before a weight is read: those of CheckSwap and
// SizeEngine.
Result<EngineConfig> SizeForMachine(const ModelFolder& folder, const ModelFlags& flags,
                                    const EngineNeeds& needs);

// Loads the weights; with them the MTP layer when `mtp`. `progress` hears of one phase. A profile
// outlives what is loaded. Errors: a FATHOM_ISA that cannot be had; those of Model::Load.
Result<LoadedModel> LoadModel(CommandContext& context, const ModelFolder& folder,
                              const ModelFlags& flags, const EngineConfig& engine, bool mtp,
                              Progress& progress, Profile* profile = nullptr);

}  // namespace fathom

#endif  // FATHOM_CLI_LOADED_MODEL_H_
