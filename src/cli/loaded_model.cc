#include "cli/loaded_model.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "cli/memory.h"
#include "cli/progress_printer.h"
#include "model/kv_cache.h"
#include "ops/compute.h"

namespace fathom {
namespace {

constexpr int64_t kBlockTokens = 16;
constexpr int64_t kDefaultLongest = 16384;

Result<Compute> MakeCompute(const ModelFlags& flags, const ModelConfig& config, ThreadPool& pool) {
  const char* forced = std::getenv("FATHOM_ISA");
  auto isa = ChooseIsa(forced == nullptr ? "" : forced);
  if (!isa.ok()) return Within("FATHOM_ISA", std::move(isa).error());
  return Compute{&pool, *isa, flags.ActivationsFor(config)};
}

EngineConfig MakeEngineConfig(const ModelFlags& flags, const ModelConfig& config,
                              const EngineNeeds& needs) {
  EngineConfig engine;
  engine.kv_dtype = flags.KvDtypeFor(config);
  engine.max_model_len = needs.max_model_len;
  engine.scheduler.block_tokens = kBlockTokens;
  // Each sequence may leave one block partly empty.
  engine.scheduler.blocks =
      (needs.cache_tokens + kBlockTokens - 1) / kBlockTokens + needs.max_sequences;
  engine.scheduler.max_batched_tokens = flags.max_num_batched_tokens;
  engine.scheduler.max_sequences = needs.max_sequences;
  return engine;
}

Status CheckMemory(const Checkpoint& checkpoint, const EngineConfig& engine, bool mtp) {
  const auto available = AvailableMemory();
  if (!available) return Ok();
  const int64_t block =
      KvCache::BlockBytes(checkpoint.config(), mtp, engine.kv_dtype, kBlockTokens);
  return CheckFits(checkpoint.total_bytes(), block * engine.scheduler.blocks, *available);
}

}  // namespace

Result<int64_t> MaxModelLen(const ModelFlags& flags, const ModelConfig& config) {
  if (flags.max_model_len == 0) return std::min(config.max_positions, kDefaultLongest);
  if (flags.max_model_len > config.max_positions) {
    return BadInput(Format("--max-model-len {} is more than the {} positions of the model",
                           flags.max_model_len, config.max_positions));
  }
  return flags.max_model_len;
}

Result<LoadedModel> LoadModel(CommandContext& context, const ModelFolder& folder,
                              const ModelFlags& flags, const EngineNeeds& needs) {
  const ModelConfig& config = folder.checkpoint.config();
  const double began = context.clock.Seconds();
  LoadedModel loaded;
  loaded.pool = std::make_unique<ThreadPool>(flags.ThreadCount());
  FATHOM_TRY(const Compute compute, MakeCompute(flags, config, *loaded.pool));
  const EngineConfig engine = MakeEngineConfig(flags, config, needs);
  FATHOM_OK(CheckMemory(folder.checkpoint, engine, needs.mtp));
  ProgressPrinter progress(context.clock, ProgressUnit::kBytes, context.console.err_is_terminal(),
                           [&context](std::string_view text) { context.console.Note(text); });
  FATHOM_TRY(loaded.model,
             Model::Load(folder.checkpoint, ModelOptions{needs.mtp}, compute, progress));
  loaded.engine = std::make_unique<Engine>(*loaded.model, engine, compute);
  loaded.load_seconds = context.clock.Seconds() - began;
  return loaded;
}

}  // namespace fathom
