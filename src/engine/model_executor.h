#ifndef FATHOM_ENGINE_MODEL_EXECUTOR_H_
#define FATHOM_ENGINE_MODEL_EXECUTOR_H_

#include <cstdint>
#include <memory>

#include "engine/engine.h"
#include "engine/executor.h"
#include "model/kv_cache.h"
#include "model/model.h"
#include "ops/compute.h"
#include "tensor/dtype.h"

namespace fathom {

// A model in this process and the cache its sequences share. The model must outlive it.
class ModelExecutor : public Executor {
 public:
  ModelExecutor(Model& model, DType kv_dtype, int64_t blocks, int64_t block_tokens,
                const Compute& compute);

  int64_t vocab() const override { return model_.config().vocab; }
  bool has_mtp() const override { return model_.has_mtp(); }
  ForwardResult Run(const ForwardBatch& batch) override;

 private:
  Model& model_;
  Compute compute_;
  KvCache cache_;
};

// An engine that runs `model`; the model and the pool must outlive it.
std::unique_ptr<Engine> MakeEngine(Model& model, const EngineConfig& config,
                                   const Compute& compute);

}  // namespace fathom

#endif  // FATHOM_ENGINE_MODEL_EXECUTOR_H_
