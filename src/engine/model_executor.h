#ifndef FATHOM_ENGINE_MODEL_EXECUTOR_H_
#define FATHOM_ENGINE_MODEL_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <span>

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/executor.h"
#include "model/kv_cache.h"
#include "model/model.h"
#include "ops/compute.h"
#include "sched/step_plan.h"

namespace fathom {

// A model in this process and the cache its sequences share. The model must outlive it.
class ModelExecutor : public Executor {
 public:
  ModelExecutor(Model& model, const EngineConfig& config, const Compute& compute);

  int64_t vocab() const override { return model_.config().vocab; }
  bool has_mtp() const override { return model_.has_mtp(); }
  void CopyBlocks(std::span<const BlockCopy> copies) override;
  ForwardResult Run(const ForwardBatch& batch) override;

 private:
  Model& model_;
  Compute compute_;
  KvCache cache_;
};

// An engine that runs `model`; the model, the pool and the clock must outlive it.
std::unique_ptr<Engine> MakeEngine(Model& model, const EngineConfig& config, const Compute& compute,
                                   const Clock& clock);

}  // namespace fathom

#endif  // FATHOM_ENGINE_MODEL_EXECUTOR_H_
