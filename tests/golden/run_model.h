#ifndef FATHOM_TESTS_GOLDEN_RUN_MODEL_H_
#define FATHOM_TESTS_GOLDEN_RUN_MODEL_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "model/model.h"
#include "ops/compute.h"
#include "spec/weight_format.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {

// The value, or the end of the test program with the error's text.
template <typename T>
T ValueOrExit(Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::fputs(result.error().ToString().c_str(), stderr);
  std::exit(1);
}

// A model and what it runs on.
struct LoadedModel {
  std::unique_ptr<ThreadPool> pool;
  Compute compute;
  std::unique_ptr<Model> model;

  // As the engine chooses: F32 for float32 activations, BF16 for bfloat16.
  DType CacheType() const;
};

// Loads a case's checkpoint, with its MTP layer when it has one. A failure to load ends the test
// program with its message.
LoadedModel LoadModel(const std::string& checkpoint, Isa isa, Activations activations,
                      int threads = 1, WeightFormat weights = WeightFormat::kAuto);

// How prompts are cut into steps.
struct Schedule {
  int64_t chunk_tokens = 0;     // tokens of a prompt in one step; 0: all at once
  bool together = false;        // all prompts in the same steps, chunk sizes differing by prompt
  bool scatter_blocks = false;  // blocks of the cache in mixed-up order
  int64_t block_tokens = 16;
};

struct PromptResult {
  Matrix<float> logits;  // [T, vocab]
  Matrix<float> mtp;     // [T - 1, vocab]; empty for a model without MTP
};

// Logits at every position of every prompt. The cache is full of NaN before.
std::vector<PromptResult> RunPrompts(LoadedModel& loaded,
                                     std::span<const std::vector<int32_t>> prompts,
                                     const Schedule& schedule, ForwardTrace* trace = nullptr);

// The most probable continuation, token by token.
std::vector<int32_t> ContinueGreedily(LoadedModel& loaded, const std::vector<int32_t>& prompt,
                                      int64_t steps);

// Bytes that operator new is asked for in a step, and when it is run again.
struct StepAllocations {
  int64_t first = 0;
  int64_t again = 0;
};
// In the step of prompt[first, ...), with logits for each token. The cache holds zeros for the
// tokens before.
StepAllocations AllocationsOf(LoadedModel& loaded, const std::vector<int32_t>& prompt,
                              int64_t first);

// Tokens for prompts longer than the golden ones.
std::vector<int32_t> MadeUpPrompt(int64_t tokens, int64_t vocab);

int64_t ArgMax(std::span<const float> values);

}  // namespace fathom

#endif  // FATHOM_TESTS_GOLDEN_RUN_MODEL_H_
