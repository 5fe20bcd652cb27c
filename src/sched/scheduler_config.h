#ifndef FATHOM_SCHED_SCHEDULER_CONFIG_H_
#define FATHOM_SCHED_SCHEDULER_CONFIG_H_

#include <cstdint>

#include "sched/mindie_policy.h"

namespace fathom {

// How prompts and decoding share the steps.
enum class Policy {
  kChunked,  // both in each step, prompts in pieces, up to a budget of tokens (as vLLM does)
  kFcfs,     // prompts first, whole; decoding when no prompt can be computed
  kMindie,   // as MindIE decides, with its parameters
};

struct SchedulerConfig {
  int64_t blocks = 0;  // cache blocks there are
  int64_t block_tokens = 16;
  int64_t max_batched_tokens = 512;  // most tokens in one step
  int64_t max_sequences = 64;        // most sequences running at once
  // Most rows of logits in one step: one for a sequence that samples, `count` for one that is
  // scored. At least max_sequences, so that nobody who decodes has to wait for a row.
  int64_t max_logit_rows = 64;
  bool prefix_cache = true;     // blocks that were computed are found again by their tokens
  int64_t swap_blocks = 0;      // blocks beside the cache, for sequences that lose theirs
  double priority_step_s = 60;  // seconds of waiting that make up for one level of priority
  Policy policy = Policy::kChunked;
  MindiePolicy mindie = {};  // of kMindie
};

}  // namespace fathom

#endif  // FATHOM_SCHED_SCHEDULER_CONFIG_H_
