#ifndef FATHOM_ENGINE_MEMORY_EXECUTOR_TESTING_H_
#define FATHOM_ENGINE_MEMORY_EXECUTOR_TESTING_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/executor.h"
#include "model/model.h"
#include "sched/step_plan.h"
#include "tensor/mat_view.h"

namespace fathom {

// A model that remembers and nothing else: its cache holds the tokens, and the logits of a position
// are a hash of all tokens up to it, read through the block table. A wrong table, position, order
// or a block lost to another sequence changes the logits, as it would in a real model.
//
// The MTP logits of a position hash its sequence up to it and the successor, all read from a cache
// of its own.
class MemoryExecutor : public Executor {
 public:
  struct Options {
    int64_t vocab = 50;
    bool mtp = false;
    int64_t blocks = 0;
    int64_t block_tokens = 1;
    int64_t swap_blocks = 0;
  };

  explicit MemoryExecutor(const Options& options);

  int64_t vocab() const override { return options_.vocab; }
  bool has_mtp() const override { return options_.mtp; }
  void CopyBlocks(std::span<const BlockCopy> copies) override;
  ForwardResult Run(const ForwardBatch& batch) override;

  // Logits a model with this memory gives after `tokens`; the oracle needs no cache.
  std::vector<float> LogitsAfter(std::span<const int32_t> tokens) const;
  // The same of the MTP layer, which was told the successor of each token in `successors`.
  std::vector<float> MtpLogitsAfter(std::span<const int32_t> tokens,
                                    std::span<const int32_t> successors) const;

  // From now on, logits after a sequence that ends in this token are NaN.
  void Poison(int32_t token) { poison_ = token; }

  // Called with each batch before it is run.
  std::function<void(const ForwardBatch&)> on_run;

 private:
  void Remember(const ForwardBatch& batch);
  // What `cache` holds of a sequence's first `count` tokens.
  std::vector<int32_t> Recall(const std::vector<int32_t>& cache,
                              std::span<const int32_t> block_table, int64_t count) const;

  Options options_;
  std::vector<int32_t> tokens_;      // [blocks * block_tokens]
  std::vector<int32_t> successors_;  // [blocks * block_tokens]
  std::vector<int32_t> swap_;        // [swap_blocks * block_tokens]
  std::optional<int32_t> poison_;
  Matrix<float> logits_;
  Matrix<float> mtp_logits_;
};

}  // namespace fathom

#endif  // FATHOM_ENGINE_MEMORY_EXECUTOR_TESTING_H_
