#ifndef FATHOM_SERVER_SERVED_MODEL_H_
#define FATHOM_SERVER_SERVED_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/generation_options.h"
#include "api/reasoning_field.h"
#include "base/result.h"
#include "engine/sampling_params.h"
#include "engine/token_rules.h"
#include "spec/generation_config.h"
#include "text/text_assets.h"

namespace fathom {

// The model as clients see it. The text must outlive it.
struct ServedModel {
  std::vector<std::string> names;  // at least one; answers have the first
  std::string root;                // the checkpoint's folder
  int64_t created = 0;             // seconds since 1970
  const TextAssets& text;
  GenerationDefaults defaults;
  std::vector<int32_t> eos_ids;
  int64_t vocab = 0;
  int64_t max_model_len = 0;
  int64_t max_prompt_tokens = INT64_MAX;  // MindIE's maxInputTokenLen
  int64_t max_answer_tokens = INT64_MAX;  // MindIE's maxIterTimes: longer answers are cut
  int64_t max_answers = INT64_MAX;        // to one request: n for each prompt
  ReasoningField reasoning = ReasoningField::kReasoningContent;
  bool log_text = false;
  bool allow_priority = false;  // requests may go before those of others

  // True for "" too: most clients of a server with one model do not care.
  bool Serves(std::string_view name) const;
  // What a request did not choose is the checkpoint's, then the engine's default. The k-th of
  // several answers to one prompt draws numbers of its own; the first draws those of a request for
  // one.
  SamplingParams SamplingFor(const GenerationOptions& options, int64_t k) const;
  // What answers may be made of. Errors: those of Tokenizer::Encode and TokenRules::Make.
  Result<std::shared_ptr<const TokenRules>> RulesFor(const GenerationOptions& options) const;
  // The tokens that end an answer.
  std::vector<int32_t> StopIdsFor(const GenerationOptions& options) const;
  // Most tokens of an answer to a prompt of so many: what was asked for, or what the context leaves
  // if that is less. None: not even one has room.
  std::optional<int64_t> AnswerLimit(const GenerationOptions& options, int64_t prompt_tokens) const;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_SERVED_MODEL_H_
