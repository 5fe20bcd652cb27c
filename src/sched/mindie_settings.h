#ifndef FATHOM_SCHED_MINDIE_SETTINGS_H_
#define FATHOM_SCHED_MINDIE_SETTINGS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sched/mindie_policy.h"
#include "sched/scheduler_config.h"

namespace fathom {

// Those of MindIE's sizes that depend on each other, under its names.
struct MindieSizes {
  int64_t max_seq_len = 2560;
  int64_t max_input_token_len = 2048;
  int64_t max_iter_times = 512;  // most tokens of an answer
  int64_t max_prefill_tokens = 8192;
  int64_t max_batch_size = 200;
  int64_t max_prefill_batch_size = 50;
};

// The scheduling parameters of MindIE, by their own names (docs/formats/mindie-scheduling.md lists
// them).
struct MindieSettings {
  MindiePolicy policy;
  int64_t cache_block_size = 128;
  int64_t max_input_token_len = 2048;
  int64_t max_iter_times = 512;  // most tokens of an answer
  MindieSizes asked;             // before they were fitted to each other
  bool mix = false;              // templateType Mix: prompts in pieces beside decoding
  // What was changed or is not used, one sentence each: to be printed.
  std::vector<std::string> notes;

  // Input longer than this is refused (MindIE: at least one token of answer has to fit).
  int64_t MostInputTokens() const;
};

// Reads a config.json of MindIE Server. Of it: all of /BackendConfig/ScheduleConfig, and maxSeqLen
// and maxInputTokenLen of /BackendConfig/ModelDeployConfig. Not read: ServerConfig, LogConfig, the
// devices, ModelConfig (weights, parallelism, plugin_params, cpuMemSize, npuMemSize). Keys that are
// missing have MindIE's defaults; known ones that change nothing here are noted; the silent
// rewrites of MindIE are made and noted. Errors (kBadInput), with path, value and limits: no JSON,
// a value of the wrong type or out of range, a key of ScheduleConfig that MindIE does not know,
// values that contradict each other.
Result<MindieSettings> ReadMindieConfig(std::string_view text, std::string_view file);

// The same from KEY=VALUE pairs, as they come from a command line; `source` names it in errors.
Result<MindieSettings> ReadMindiePairs(std::span<const std::string> pairs, std::string_view source);

// Cuts maxSeqLen to the `positions` of a model, and what was made as large for its sake: a step
// need not hold sequences that the model cannot have. Returns what was cut, a sentence to be
// printed, or "".
std::string CutToModel(int64_t positions, MindieSettings& settings);

// How the settings and the swap space the caller has go together. Errors (kBadInput): one of them
// without the other.
Status CheckSwap(const MindieSettings& settings, int64_t swap_bytes);

// The keys that have an effect, "cacheBlockSize, maxPrefillBatchSize, ...".
std::string MindieKeys();

// Sets policy, block size, tokens and sequences of a step as the settings say. The caller says how
// many blocks, swap blocks (MindIE: cpuMemSize) and rows of logits there are.
void Apply(const MindieSettings& settings, SchedulerConfig& config);

}  // namespace fathom

#endif  // FATHOM_SCHED_MINDIE_SETTINGS_H_
