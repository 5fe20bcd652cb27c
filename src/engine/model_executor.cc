#include "engine/model_executor.h"

#include <memory>
#include <span>
#include <utility>

#include "base/clock.h"
#include "engine/engine.h"
#include "model/model.h"
#include "ops/compute.h"
#include "sched/step_plan.h"

namespace fathom {

ModelExecutor::ModelExecutor(Model& model, const EngineConfig& config, const Compute& compute)
    : model_(model),
      compute_(compute),
      cache_(model.config(), model.has_mtp(), config.kv_dtype, config.scheduler.blocks,
             config.scheduler.block_tokens, config.scheduler.swap_blocks) {}

void ModelExecutor::CopyBlocks(std::span<const BlockCopy> copies) {
  for (const BlockCopy& copy : copies) {
    switch (copy.kind) {
      case BlockCopy::Kind::kWithin:
        cache_.Copy(copy.from, copy.to);
        break;
      case BlockCopy::Kind::kToSwap:
        cache_.SwapOut(copy.from, copy.to);
        break;
      case BlockCopy::Kind::kFromSwap:
        cache_.SwapIn(copy.from, copy.to);
        break;
    }
  }
}

ForwardResult ModelExecutor::Run(const ForwardBatch& batch) {
  return model_.Forward(compute_, batch, cache_);
}

std::unique_ptr<Engine> MakeEngine(Model& model, const EngineConfig& config, const Compute& compute,
                                   const Clock& clock) {
  auto executor = std::make_unique<ModelExecutor>(model, config, compute);
  return std::make_unique<Engine>(std::move(executor), config, *compute.pool, clock);
}

}  // namespace fathom
