#ifndef FATHOM_CLI_SAMPLING_FLAGS_H_
#define FATHOM_CLI_SAMPLING_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "engine/sampling_params.h"
#include "spec/generation_config.h"
#include "spec/sampling.h"

namespace fathom {

// The flags that choose the next token and end an answer. What is not given is taken from the
// checkpoint's generation_config.json, then from the engine's defaults.
struct SamplingFlags {
  int64_t max_tokens = 0;  // 0: not given
  SamplingChoice numbers;
  std::vector<std::string> logit_bias;
  std::optional<int64_t> seed;
  std::vector<std::string> stop;
  std::string stop_token_ids;
  bool ignore_eos = false;

  void Declare(CommandLine& line);
  // Errors (kBadInput): values that no model could take; the engine checks the rest.
  Status Check(const CommandLine& line) const;

  Result<SamplingParams> Params(const SamplingChoice& defaults) const;
  // The ids of --stop-token-ids, and `eos` unless --ignore-eos is given.
  Result<std::vector<int32_t>> StopIds(const std::vector<int32_t>& eos) const;
};

// What the checkpoint recommends: "temperature 0.6, top_p 0.95, max_new_tokens 2048"; empty when it
// says nothing.
std::string DescribeDefaults(const GenerationDefaults& defaults);

}  // namespace fathom

#endif  // FATHOM_CLI_SAMPLING_FLAGS_H_
