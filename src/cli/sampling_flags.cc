#include "cli/sampling_flags.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/input_text.h"
#include "base/format.h"
#include "base/result.h"
#include "cli/command_line.h"
#include "engine/sampling_params.h"
#include "spec/generation_config.h"
#include "text/utf8.h"

namespace fathom {

void SamplingFlags::Declare(CommandLine& line) {
  line.Add("--max-tokens", max_tokens, "N",
           "Most tokens of an answer (default: what --max-model-len leaves)");
  line.Add("--temperature", temperature, "T",
           "0: always the most likely token; higher is more varied");
  line.Add("--top-p", top_p, "P", "Choose among the most likely tokens that make up P (0 to 1)");
  line.Add("--top-k", top_k, "K", "Choose among the K most likely tokens; 0: all");
  line.Add("--min-p", min_p, "P", "Leave out tokens less likely than P times the most likely");
  line.Add("--repetition-penalty", repetition_penalty, "R",
           "Above 1: tokens of prompt and answer become less likely");
  line.Add("--presence-penalty", presence_penalty, "X", "Taken off tokens the answer has");
  line.Add("--frequency-penalty", frequency_penalty, "X",
           "Taken off tokens, times how often the answer has them");
  line.AddList("--logit-bias", logit_bias, "ID:X", "Add X to the logit of ID; may be repeated");
  line.Add("--seed", seed, "S", "Same seed, same machine: same tokens");
  line.AddList("--stop", stop, "TEXT",
               "End the answer before this text, be it in the reasoning; may be repeated");
  line.Add("--stop-token-ids", stop_token_ids, "1,2,3",
           "End the answer before these tokens, in the reasoning too");
  line.AddSwitch("--ignore-eos", ignore_eos, "Go on past the model's end of answer");
}

Status SamplingFlags::Check(const CommandLine& line) const {
  if (line.Given("--max-tokens") && max_tokens < 1) {
    return line.Usage(Format("--max-tokens must be at least 1, found {}", max_tokens));
  }
  if (seed.value_or(0) < 0) {
    return line.Usage(Format("--seed must be at least 0, found {}", *seed));
  }
  for (const std::string& text : stop) {
    if (text.empty()) return line.Usage("--stop needs a text that is not empty");
    if (Status status = CheckUtf8(text); !status.ok()) {
      return Within("--stop", std::move(status).error());
    }
  }
  FATHOM_TRY([[maybe_unused]] const SamplingParams params, Params({}));
  FATHOM_TRY([[maybe_unused]] const std::vector<int32_t> ids, StopIds({}));
  return Ok();
}

Result<SamplingParams> SamplingFlags::Params(const GenerationDefaults& defaults) const {
  SamplingParams params;
  params.temperature = temperature.value_or(defaults.temperature.value_or(params.temperature));
  params.top_p = top_p.value_or(defaults.top_p.value_or(params.top_p));
  params.top_k = top_k.value_or(defaults.top_k.value_or(params.top_k));
  params.min_p = min_p.value_or(defaults.min_p.value_or(params.min_p));
  params.repetition_penalty =
      repetition_penalty.value_or(defaults.repetition_penalty.value_or(params.repetition_penalty));
  params.presence_penalty = presence_penalty.value_or(params.presence_penalty);
  params.frequency_penalty = frequency_penalty.value_or(params.frequency_penalty);
  if (seed) params.seed = static_cast<uint64_t>(*seed);
  for (const std::string& text : logit_bias) {
    FATHOM_TRY(const auto bias, ParseLogitBias("--logit-bias", text));
    params.logit_bias.push_back(bias);
  }
  return params;
}

Result<std::vector<int32_t>> SamplingFlags::StopIds(const std::vector<int32_t>& eos) const {
  std::vector<int32_t> ids;
  if (!stop_token_ids.empty()) {
    FATHOM_TRY(ids, ParseIds("--stop-token-ids", stop_token_ids));
  }
  if (!ignore_eos) ids.insert(ids.end(), eos.begin(), eos.end());
  return ids;
}

std::string DescribeDefaults(const GenerationDefaults& defaults) {
  std::string text;
  const auto add = [&text](std::string_view name, double value) {
    text += (text.empty() ? "" : ", ") + Format("{} {:g}", name, value);
  };
  if (defaults.temperature) add("temperature", *defaults.temperature);
  if (defaults.top_p) add("top_p", *defaults.top_p);
  if (defaults.top_k) add("top_k", static_cast<double>(*defaults.top_k));
  if (defaults.min_p) add("min_p", *defaults.min_p);
  if (defaults.repetition_penalty) add("repetition_penalty", *defaults.repetition_penalty);
  return text;
}

}  // namespace fathom
