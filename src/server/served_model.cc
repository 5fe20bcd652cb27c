#include "server/served_model.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/generation_options.h"
#include "base/result.h"
#include "engine/sampler.h"
#include "engine/sampling_params.h"
#include "engine/token_rules.h"
#include "spec/sampling.h"
#include "text/tokenizer.h"

namespace fathom {

namespace {

// A word is other tokens where it begins a text than behind a space. As vLLM does
// (vllm/sampling_params.py, update_from_tokenizer).
Status AddBadWord(const Tokenizer& tokenizer, const std::string& word,
                  std::vector<std::vector<int32_t>>& bad_words) {
  const std::string bare = word.substr(word.find_first_not_of(" \t\n\r"));
  FATHOM_TRY(std::vector<int32_t> alone, tokenizer.Encode(bare, true));
  FATHOM_TRY(std::vector<int32_t> inside, tokenizer.Encode(" " + bare, true));
  const bool differs = inside.size() == alone.size() && inside.front() != alone.front();
  bad_words.push_back(std::move(alone));
  if (differs) bad_words.push_back(std::move(inside));
  return Ok();
}

}  // namespace

bool ServedModel::Serves(std::string_view name) const {
  return name.empty() || std::ranges::find(names, name) != names.end();
}

SamplingParams ServedModel::SamplingFor(const GenerationOptions& options, int64_t k) const {
  SamplingParams params;
  VisitSampling(
      [](const SamplingField& /*field*/, auto& param, const auto& asked, const auto& recommended) {
        param = asked.value_or(recommended.value_or(param));
      },
      params, options.sampling, defaults.sampling);
  params.logit_bias = options.logit_bias;
  if (options.seed) {
    const auto seed = static_cast<uint64_t>(*options.seed);
    params.seed = k == 0 ? seed : SplitMix64At(seed, static_cast<uint64_t>(k));
  }
  return params;
}

Result<std::shared_ptr<const TokenRules>> ServedModel::RulesFor(
    const GenerationOptions& options) const {
  std::vector<std::vector<int32_t>> bad_words;
  for (const std::string& word : options.bad_words) {
    FATHOM_OK(AddBadWord(text.tokenizer, word, bad_words));
  }
  return TokenRules::Make(vocab, options.allowed_token_ids, std::move(bad_words));
}

std::vector<int32_t> ServedModel::StopIdsFor(const GenerationOptions& options) const {
  std::vector<int32_t> ids = options.stop_token_ids;
  if (!options.ignore_eos) ids.insert(ids.end(), eos_ids.begin(), eos_ids.end());
  return ids;
}

std::optional<int64_t> ServedModel::AnswerLimit(const GenerationOptions& options,
                                                int64_t prompt_tokens) const {
  const int64_t room = max_model_len - prompt_tokens;
  if (prompt_tokens > max_prompt_tokens) return std::nullopt;
  if (room < 1) return std::nullopt;
  const int64_t wanted = options.max_tokens.value_or(defaults.max_new_tokens.value_or(room));
  return std::min({wanted, room, max_answer_tokens});
}

}  // namespace fathom
