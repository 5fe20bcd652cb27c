#include "cli/loaded_model.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/host_limits.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "cli/command.h"
#include "cli/model_flags.h"
#include "cli/model_folder.h"
#include "engine/engine.h"
#include "engine/model_executor.h"
#include "engine/sizing.h"
#include "model/model.h"
#include "ops/compute.h"
#include "ops/profile.h"
#include "sched/mindie_settings.h"
#include "sched/scheduler_config.h"
#include "spec/catalogue.h"
#include "spec/model_config.h"
#include "spec/weight_format.h"
#include "weights/checkpoint.h"

namespace fathom {
namespace {

Result<Compute> MakeCompute(const ModelFlags& flags, const ModelConfig& config, ThreadPool& pool) {
  const char* forced = std::getenv("FATHOM_ISA");
  FATHOM_TRY(const Isa isa, ChooseIsa(forced == nullptr ? "" : forced));
  return Compute{.pool = &pool, .isa = isa, .activations = flags.ActivationsFor(config)};
}

// What the weights to be loaded take.
int64_t WeightBytes(const Checkpoint& checkpoint, WeightFormat format, bool mtp) {
  const auto stored = [&checkpoint](const TensorSpec& spec) {
    const TensorInfo* tensor = checkpoint.Find(spec.name);
    return tensor == nullptr ? std::nullopt : std::optional(tensor->dtype);
  };
  return LoadedBytes(checkpoint.config(), stored, format, mtp);
}

// What MindIE's parameters say of sizes.
void TakeLimits(const MindieSettings& settings, EngineLimits& limits) {
  SchedulerConfig scheduler;
  Apply(settings, scheduler);
  limits.block_tokens = scheduler.block_tokens;
  limits.max_num_batched_tokens = scheduler.max_batched_tokens;
  limits.max_num_seqs = scheduler.max_sequences;
  limits.max_model_len = settings.policy.max_seq_len;
}

}  // namespace

Result<EngineConfig> SizeForMachine(const ModelFolder& folder, const ModelFlags& flags,
                                    const EngineNeeds& needs) {
  EngineLimits limits;
  if (needs.max_model_len > 0) limits.max_model_len = needs.max_model_len;
  limits.max_num_seqs = needs.max_num_seqs;
  limits.max_num_batched_tokens = flags.max_num_batched_tokens;
  limits.kv_dtype = flags.KvDtypeFor(folder.checkpoint.config());
  limits.mtp = needs.mtp;
  limits.int8 = flags.Weights() == WeightFormat::kW8A8;
  limits.threads = flags.ThreadCount();
  limits.swap_bytes = needs.swap_bytes;
  limits.prefix_cache = needs.prefix_cache;
  if (needs.mindie) {
    FATHOM_OK(CheckSwap(*needs.mindie, needs.swap_bytes));
    TakeLimits(*needs.mindie, limits);
  }
  if (needs.kv_cache_bytes > 0) limits.kv_cache_bytes = needs.kv_cache_bytes;
  int64_t available = AvailableMemory();
  const bool limited = needs.memory_bytes > 0 && needs.memory_bytes < available;
  if (limited) available = needs.memory_bytes;
  const MemoryBudget memory{available, WeightBytes(folder.checkpoint, flags.Weights(), needs.mtp),
                            limited};
  FATHOM_TRY(EngineConfig config, SizeEngine(folder.checkpoint.config(), limits, memory));
  if (needs.mindie) Apply(*needs.mindie, config.scheduler);
  return config;
}

Result<LoadedModel> LoadModel(CommandContext& context, const ModelFolder& folder,
                              const ModelFlags& flags, const EngineConfig& engine, bool mtp,
                              Progress& progress, Profile* profile) {
  const double began = context.clock.Seconds();
  LoadedModel loaded;
  FATHOM_TRY(loaded.pool, ThreadPool::Start(flags.ThreadCount()));
  FATHOM_TRY(loaded.compute, MakeCompute(flags, folder.checkpoint.config(), *loaded.pool));
  loaded.compute.profile = profile;
  FATHOM_TRY(loaded.model,
             Model::Load(folder.checkpoint, ModelOptions{.mtp = mtp, .weights = flags.Weights()},
                         loaded.compute, progress));
  loaded.engine = MakeEngine(*loaded.model, engine, loaded.compute, context.clock);
  loaded.seconds = context.clock.Seconds() - began;
  return loaded;
}

}  // namespace fathom
