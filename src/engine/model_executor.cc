#include "engine/model_executor.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "engine/engine.h"
#include "model/model.h"
#include "ops/compute.h"
#include "tensor/dtype.h"

namespace fathom {

ModelExecutor::ModelExecutor(Model& model, DType kv_dtype, int64_t blocks, int64_t block_tokens,
                             const Compute& compute)
    : model_(model),
      compute_(compute),
      cache_(model.config(), model.has_mtp(), kv_dtype, blocks, block_tokens) {}

ForwardResult ModelExecutor::Run(const ForwardBatch& batch) {
  return model_.Forward(compute_, batch, cache_);
}

std::unique_ptr<Engine> MakeEngine(Model& model, const EngineConfig& config,
                                   const Compute& compute) {
  auto executor = std::make_unique<ModelExecutor>(model, config.kv_dtype, config.scheduler.blocks,
                                                  config.scheduler.block_tokens, compute);
  return std::make_unique<Engine>(std::move(executor), config, *compute.pool);
}

}  // namespace fathom
