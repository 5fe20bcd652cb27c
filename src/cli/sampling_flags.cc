#include "cli/sampling_flags.h"

#include <algorithm>
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
#include "spec/sampling.h"
#include "text/utf8.h"

namespace fathom {
namespace {

// "--top-p"
std::string FlagOf(const SamplingField& field) {
  std::string flag = "--" + std::string(field.name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

}  // namespace

void SamplingFlags::Declare(CommandLine& line) {
  line.Add("--max-tokens", max_tokens, "N",
           "Most tokens of an answer (default: the checkpoint's, or what --max-model-len leaves)");
  VisitSampling(
      [&line](const SamplingField& field, auto& number) {
        line.Add(FlagOf(field), number, std::string(field.value), std::string(field.help));
      },
      numbers);
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

Result<SamplingParams> SamplingFlags::Params(const SamplingChoice& defaults) const {
  SamplingParams params;
  VisitSampling([](const SamplingField& /*field*/, auto& param, const auto& flag,
                   const auto& recommended) { param = flag.value_or(recommended.value_or(param)); },
                params, numbers, defaults);
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
    text += (text.empty() ? "" : ", ") + Format("{} {}", name, value);
  };
  VisitSampling(
      [&add](const SamplingField& field, const auto& value) {
        if (value) add(field.name, static_cast<double>(*value));
      },
      defaults.sampling);
  if (defaults.max_new_tokens) {
    add("max_new_tokens", static_cast<double>(*defaults.max_new_tokens));
  }
  return text;
}

}  // namespace fathom
