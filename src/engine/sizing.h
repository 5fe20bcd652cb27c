#ifndef FATHOM_ENGINE_SIZING_H_
#define FATHOM_ENGINE_SIZING_H_

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "engine/engine.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"

namespace fathom {

// Tokens in a cache block.
inline constexpr int64_t kBlockTokens = 16;
// Logits of one step take at most this (or one row for each sequence, if that is more): 64 rows of
// DeepSeek-V3's 129,280 tokens, 32 when the MTP layer doubles them. It is what bounds the piece of
// a scored prompt in one step.
inline constexpr int64_t kLogitBytes = int64_t{32} << 20;
// What a process takes beside weights, cache and the buffers of its steps: code, tokenizer, texts.
inline constexpr int64_t kProcessBytes = 100'000'000;

// What a person asks of an engine.
struct EngineLimits {
  // Longest sequence, prompt and answer together. None: what the model has positions for, at most
  // what half of the memory left after the weights can hold.
  std::optional<int64_t> max_model_len = std::nullopt;
  // Sequences at once; no more than max_num_batched_tokens get room, as each takes a token of a
  // step.
  int64_t max_num_seqs = 64;
  int64_t max_num_batched_tokens = 512;  // tokens in one step
  // Bytes for the cache. None: room for max_num_seqs of the longest sequences, at most what is left
  // after the weights (then sequences that grow into each other are preempted).
  std::optional<int64_t> kv_cache_bytes = std::nullopt;
  int64_t block_tokens = kBlockTokens;  // tokens in a cache block
  // Bytes beside the cache for sequences that lose their blocks to others.
  int64_t swap_bytes = 0;
  bool prefix_cache = true;  // prompts that begin alike are computed once
  DType kv_dtype = DType::kBF16;
  bool mtp = false;   // the MTP layer is loaded too
  bool int8 = false;  // weights are loaded as w8a8
  int threads = 1;    // of the pool
};

struct MemoryBudget {
  int64_t available_bytes = 0;  // that the process may still take
  int64_t weight_bytes = 0;     // of them, for weights that are not loaded yet
  bool limited = false;         // by --memory-limit, to less than the machine has
};

// What a running engine needs beside weights and cache.
int64_t WorkingBytes(const ModelConfig& model, const EngineLimits& limits);

// The engine's limits in numbers: the one place where the size of the cache is decided.
// Errors, with the numbers compared: a limit below 1 or absurdly high, a length past the model's
// positions (kBadInput); weights, or a cache for one longest sequence, that do not fit
// (kDoesNotFit).
Result<EngineConfig> SizeEngine(const ModelConfig& model, const EngineLimits& limits,
                                const MemoryBudget& memory);

}  // namespace fathom

#endif  // FATHOM_ENGINE_SIZING_H_
