#include "engine/sizing.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/math.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/sampler.h"
#include "model/kv_cache.h"
#include "model/step_bytes.h"
#include "spec/model_config.h"

namespace fathom {
namespace {

// A default length below this would be of no use to anybody: rather refuse.
constexpr int64_t kLeastDefault = 256;

int64_t BlocksFor(const EngineLimits& limits, int64_t tokens) {
  return CeilDiv(tokens, limits.block_tokens);
}

// Far beyond any use, and far below where products of two limits overflow.
constexpr int64_t kHighestLimit = int64_t{1} << 20;

Status InRange(std::string_view name, int64_t value) {
  if (value >= 1 && value <= kHighestLimit) return Ok();
  return BadInput(Format("{} is {}, expected 1 to {}", name, value, kHighestLimit), "",
                  "give a value in this range");
}

Status ValidateLimits(const ModelConfig& model, const EngineLimits& limits) {
  FATHOM_OK(InRange("max_num_seqs", limits.max_num_seqs));
  FATHOM_OK(InRange("max_num_batched_tokens", limits.max_num_batched_tokens));
  if (limits.swap_bytes < 0) {
    return BadInput(Format("swap_bytes is {}, expected 0 or more", limits.swap_bytes), "",
                    "give a size in this range");
  }
  if (!limits.max_model_len) return Ok();
  if (*limits.max_model_len >= 1 && *limits.max_model_len <= model.max_positions) return Ok();
  return BadInput(Format("max_model_len is {}, expected 1 to {}, the positions of the model",
                         *limits.max_model_len, model.max_positions),
                  "", Format("--max-model-len {} is the most", model.max_positions));
}

int64_t SequencesFor(const EngineLimits& limits) {
  return std::min(limits.max_num_seqs, limits.max_num_batched_tokens);
}

int64_t LogitRowsFor(const ModelConfig& model, const EngineLimits& limits) {
  const int64_t row_bytes =
      model.vocab * static_cast<int64_t>(sizeof(float)) * (limits.mtp ? 2 : 1);
  return std::max(SequencesFor(limits), kLogitBytes / row_bytes);
}

std::string_view MoreMemory(const MemoryBudget& memory) {
  return memory.limited ? "give a larger --memory-limit" : "use a machine with more memory";
}

// Bytes left for the cache.
Result<int64_t> CacheBudget(const ModelConfig& model, const EngineLimits& limits,
                            const MemoryBudget& memory) {
  const int64_t working = WorkingBytes(model, limits);
  const int64_t left = memory.available_bytes - memory.weight_bytes - working - limits.swap_bytes;
  if (left <= 0) {
    const std::string swap =
        limits.swap_bytes > 0 ? Format(", swap blocks {}", HumanBytes(limits.swap_bytes)) : "";
    return DoesNotFit(
        Format("the weights need {} and steps of {} tokens {} of working memory{}, {} "
               "are available",
               HumanBytes(memory.weight_bytes), limits.max_num_batched_tokens, HumanBytes(working),
               swap, HumanBytes(memory.available_bytes)),
        "",
        Format("{}, a checkpoint in a narrower format, or a smaller {}", MoreMemory(memory),
               limits.swap_bytes > 0 ? "--swap-space" : "--max-num-batched-tokens"));
  }
  if (!limits.kv_cache_bytes) return left;
  if (*limits.kv_cache_bytes <= left) return *limits.kv_cache_bytes;
  return DoesNotFit(Format("a cache of {} is asked for, {} are left beside the weights",
                           HumanBytes(*limits.kv_cache_bytes), HumanBytes(left)),
                    "", Format("--kv-cache-memory {} is the most", left));
}

// The longest sequence when the cache has at most `most_blocks`.
Result<int64_t> LongestSequence(const ModelConfig& model, const EngineLimits& limits,
                                const MemoryBudget& memory, int64_t most_blocks,
                                int64_t block_bytes) {
  const int64_t least = limits.max_model_len.value_or(std::min(model.max_positions, kLeastDefault));
  if (BlocksFor(limits, least) > most_blocks) {
    const int64_t needed = BlocksFor(limits, least) * block_bytes;
    std::string fix;
    if (limits.kv_cache_bytes) fix = Format("--kv-cache-memory {} would do", needed);
    if (const int64_t fits = most_blocks * limits.block_tokens; fits > 0) {
      fix += Format("{}--max-model-len {} would fit", fix.empty() ? "" : ", or ", fits);
    }
    if (fix.empty()) fix = MoreMemory(memory);
    return DoesNotFit(Format("the cache of one sequence of {} tokens needs {}, {} are left for it",
                             least, HumanBytes(needed),
                             HumanBytes(limits.kv_cache_bytes.value_or(most_blocks * block_bytes))),
                      "", std::move(fix));
  }
  if (limits.max_model_len) return least;
  return std::max(least, std::min(model.max_positions, most_blocks / 2 * limits.block_tokens));
}

}  // namespace

int64_t WorkingBytes(const ModelConfig& model, const EngineLimits& limits) {
  const StepLimits step{.tokens = limits.max_num_batched_tokens,
                        .logit_rows = LogitRowsFor(model, limits),
                        .threads = limits.threads,
                        .mtp = limits.mtp,
                        .int8 = limits.int8};
  const int64_t sampler = model.vocab * static_cast<int64_t>(sizeof(Sampler::Candidate));
  return kProcessBytes + StepBytes(model, step) + limits.threads * sampler;
}

Result<EngineConfig> SizeEngine(const ModelConfig& model, const EngineLimits& limits,
                                const MemoryBudget& memory) {
  FATHOM_OK(ValidateLimits(model, limits));
  FATHOM_TRY(const int64_t budget, CacheBudget(model, limits, memory));
  const int64_t block_bytes =
      KvCache::BlockBytes(model, limits.mtp, limits.kv_dtype, limits.block_tokens);
  const int64_t most_blocks = budget / block_bytes;
  EngineConfig config;
  FATHOM_TRY(config.max_model_len,
             LongestSequence(model, limits, memory, most_blocks, block_bytes));
  config.kv_dtype = limits.kv_dtype;
  config.scheduler.blocks =
      std::min({most_blocks, BlocksFor(limits, config.max_model_len) * SequencesFor(limits),
                int64_t{std::numeric_limits<int32_t>::max()}});
  config.scheduler.block_tokens = limits.block_tokens;
  config.scheduler.prefix_cache = limits.prefix_cache;
  config.scheduler.swap_blocks = std::min(limits.swap_bytes / block_bytes, config.scheduler.blocks);
  config.scheduler.max_batched_tokens = limits.max_num_batched_tokens;
  config.scheduler.max_sequences = SequencesFor(limits);
  config.scheduler.max_logit_rows = LogitRowsFor(model, limits);
  return config;
}

}  // namespace fathom
