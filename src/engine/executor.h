#ifndef FATHOM_ENGINE_EXECUTOR_H_
#define FATHOM_ENGINE_EXECUTOR_H_

#include <cstdint>
#include <span>

#include "model/model.h"
#include "sched/step_plan.h"

namespace fathom {

// What runs the tokens of a step: a model with its cache, or a double in tests.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual int64_t vocab() const = 0;
  virtual bool has_mtp() const = 0;
  // Copies contents of blocks, all layers of them, one copy after the other.
  virtual void CopyBlocks(std::span<const BlockCopy> copies) = 0;
  // The result is valid until the next Run.
  virtual ForwardResult Run(const ForwardBatch& batch) = 0;
};

}  // namespace fathom

#endif  // FATHOM_ENGINE_EXECUTOR_H_
