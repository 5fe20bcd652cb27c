#include "server/preparation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/api_error.h"
#include "api/chat_request.h"
#include "api/completion_request.h"
#include "api/generation_options.h"
#include "api/prompt.h"
#include "api/reasoning_field.h"
#include "api/response.h"
#include "base/format.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/token_rules.h"
#include "server/answer.h"
#include "server/answer_format.h"
#include "server/answer_memory.h"
#include "server/router.h"
#include "server/served_model.h"
#include "text/text_assets.h"

namespace fathom {
namespace {

// Beyond this all priorities are alike.
constexpr int64_t kMostPriority = 1'000'000;

constexpr std::string_view kMessages = "messages";  // the field that a chat's prompt is made of
constexpr std::string_view kPrompt = "prompt";      // and a completion's

// What chats and completions share once their prompts are ids.
class Preparer {
 public:
  Preparer(const ServedModel& model, GenerationOptions options,
           std::shared_ptr<const TokenRules> rules, ReasoningField reasoning, RoutedRequest& routed)
      : model_(model),
        form_(ReplyOptionsFor(options, reasoning)),
        inline_reasoning_(reasoning == ReasoningField::kInline),
        options_(std::move(options)),
        rules_(std::move(rules)),
        routed_(routed) {}

  // The choices of one more prompt, which stands in `field`; an error when it leaves no room for an
  // answer.
  std::optional<ApiError> Add(Prompt prompt, std::string_view field) {
    Truncate(prompt.ids);
    const auto tokens = static_cast<int64_t>(prompt.ids.size());
    const std::optional<int64_t> limit = model_.AnswerLimit(options_, tokens);
    if (!limit)
      return ContextTooLong(tokens, std::min(model_.max_model_len, model_.max_prompt_tokens),
                            field);
    max_tokens_ = std::max(max_tokens_, *limit);
    kept_bytes_ += *limit * options_.n * KeptBytesPerToken();
    for (int64_t k = 0; k < options_.n; ++k) {
      requests_.push_back(MakeRequest(prompt.ids, *limit, k));
      choices_.push_back({.text = {.stop = options_.stop,
                                   .skip_special = options_.skip_special_tokens,
                                   .reasoning = prompt.reasoning,
                                   .inline_reasoning = inline_reasoning_,
                                   .include_stop = options_.include_stop_str_in_output,
                                   .min_tokens = options_.min_tokens},
                          .prompt_tokens = tokens,
                          .keep_tokens = KeepsTokens()});
    }
    if (model_.log_text) log_text_ += prompt.text;
    if (options_.return_token_ids) prompt_ids_.push_back(std::move(prompt.ids));
    ++prompts_;
    return std::nullopt;
  }

  ResponseHead Head(std::string_view prefix, int64_t unix_seconds) {
    if (!options_.request_id.empty()) routed_.id = options_.request_id;
    return {.id = std::string(prefix) + routed_.id,
            .created = unix_seconds,
            .model = options_.model.empty() ? model_.names.front() : options_.model,
            .system_fingerprint = "",
            .prompt_token_ids = std::move(prompt_ids_)};
  }

  Preparation Take(std::unique_ptr<AnswerFormat> format, std::string_view prompt_field) {
    routed_.request.DropBody();
    return {.answer = {.routed = std::move(routed_),
                       .model = options_.model.empty() ? model_.names.front() : options_.model,
                       .stream = options_.stream,
                       .prompts = prompts_,
                       .max_tokens = max_tokens_,
                       .choices = std::move(choices_),
                       .stop_token_ids = std::move(options_.stop_token_ids),
                       .format = std::move(format),
                       .log_text = std::move(log_text_),
                       .kept_bytes = kept_bytes_},
            .requests = std::move(requests_),
            .unknown_fields = std::move(options_.unknown_fields),
            .ignored_priority = options_.priority != 0 && !model_.allow_priority,
            .prompt_field = std::string(prompt_field)};
  }

  const ReplyOptions& form() const { return form_; }

 private:
  void Truncate(std::vector<int32_t>& ids) const {
    const auto keep = static_cast<size_t>(
        options_.truncate_prompt_tokens.value_or(static_cast<int64_t>(ids.size())));
    if (keep < ids.size()) ids.erase(ids.begin(), ids.end() - static_cast<ptrdiff_t>(keep));
  }

  bool KeepsTokens() const { return options_.logprobs || options_.return_token_ids; }
  // A stream hands over what it has.
  int64_t KeptBytesPerToken() const {
    return KeepsTokens() && !options_.stream ? BytesPerKeptToken(options_.logprobs) : 0;
  }

  int32_t Priority() const {
    if (!model_.allow_priority) return 0;
    return static_cast<int32_t>(std::clamp(options_.priority, -kMostPriority, kMostPriority));
  }

  GenerationRequest MakeRequest(const std::vector<int32_t>& prompt, int64_t limit,
                                int64_t k) const {
    GenerationRequest request;
    request.prompt = prompt;
    request.sampling = model_.SamplingFor(options_, k);
    request.max_tokens = limit;
    request.min_tokens = std::min(options_.min_tokens, limit);
    request.stop_token_ids = model_.StopIdsFor(options_);
    request.rules = rules_;
    request.top_logprobs = options_.logprobs;
    request.priority = Priority();
    request.client = routed_.client;
    if (options_.timeout_seconds.value_or(0) > 0) {
      request.deadline_s = routed_.arrived_s + static_cast<double>(*options_.timeout_seconds);
    }
    return request;
  }

  const ServedModel& model_;
  const ReplyOptions form_;
  const bool inline_reasoning_;
  GenerationOptions options_;
  const std::shared_ptr<const TokenRules> rules_;
  RoutedRequest& routed_;
  std::vector<ChoiceSetup> choices_;
  std::vector<GenerationRequest> requests_;
  std::vector<std::vector<int32_t>> prompt_ids_;
  std::string log_text_;
  int64_t prompts_ = 0;
  int64_t max_tokens_ = 0;
  int64_t kept_bytes_ = 0;
};

// What a request asks for that no prompt can change, so that nobody renders or tokenizes for it.
std::optional<ApiError> CheckModelAndAnswers(const ServedModel& model,
                                             const GenerationOptions& options, size_t prompts) {
  if (!model.Serves(options.model)) return ModelNotFound(options.model, model.names);
  const int64_t answers = static_cast<int64_t>(prompts) * options.n;
  if (answers > model.max_answers) return TooManyAnswers(answers, model.max_answers);
  return std::nullopt;
}

// A prompt that is to be cut may be of any length.
int64_t ContextFor(const ServedModel& model, const GenerationOptions& options) {
  return options.truncate_prompt_tokens ? INT64_MAX : model.max_model_len;
}

Result<Prompt> ChatPrompt(const ServedModel& model, const ChatRequest& request,
                          const std::string& date) {
  return RenderPrompt(model.text, request.conversation,
                      {.add_generation_prompt = request.add_generation_prompt,
                       .continue_final_message = request.continue_final_message,
                       .template_arguments = request.template_arguments,
                       .context_tokens = ContextFor(model, request.generation),
                       .date = date});
}

Result<Prompt> CompletionText(const ServedModel& model, const CompletionRequest& request,
                              const CompletionPrompt& prompt) {
  if (const auto* ids = std::get_if<std::vector<int32_t>>(&prompt)) {
    return Prompt{.text = request.echo ? model.text.tokenizer.DecodeBytes(*ids, true) : "",
                  .ids = *ids};
  }
  return RawPrompt(model.text, std::get<std::string>(prompt),
                   {.add_bos = request.add_special_tokens,
                    .context_tokens = ContextFor(model, request.generation)});
}

}  // namespace

ApiError FromRendering(const TextAssets& text, Error error) {
  if (!text.chat_template.ok() && text.tokenizer.chat_template().ok()) {
    error.kind = ErrorKind::kFailed;
    error.what = "the model's chat template cannot be used: " + error.what;
  }
  return FromError(error, kMessages);
}

Prepared PrepareChat(const ServedModel& model, RoutedRequest& routed, const RequestTime& time) {
  Result<ChatRequest> request = ParseChatRequest(routed.request.body, {model.vocab});
  if (!request.ok()) return FromError(request.error());
  if (auto refused = CheckModelAndAnswers(model, request->generation, 1)) return *refused;
  auto rules = model.RulesFor(request->generation);
  if (!rules.ok()) return FromError(rules.error(), "bad_words");
  Result<Prompt> prompt = ChatPrompt(model, *request, time.date);
  if (!prompt.ok()) return FromRendering(model.text, prompt.error());
  Preparer preparer(model, std::move(request->generation), *std::move(rules),
                    ReasoningFieldFor(request->reasoning, model.reasoning), routed);
  if (auto refused = preparer.Add(std::move(*prompt), kMessages)) return *refused;
  return preparer.Take(MakeChatFormat(preparer.Head("chatcmpl-", time.unix_seconds),
                                      preparer.form(), model.text.tokenizer),
                       kMessages);
}

Prepared PrepareCompletion(const ServedModel& model, RoutedRequest& routed,
                           const RequestTime& time) {
  Result<CompletionRequest> request = ParseCompletionRequest(routed.request.body, {model.vocab});
  if (!request.ok()) return FromError(request.error());
  const size_t prompts = request->prompts.size();
  if (auto refused = CheckModelAndAnswers(model, request->generation, prompts)) return *refused;
  auto rules = model.RulesFor(request->generation);
  if (!rules.ok()) return FromError(rules.error(), "bad_words");
  Preparer preparer(model, request->generation, *std::move(rules), ReasoningField::kInline, routed);
  std::vector<std::string> echoes;
  for (size_t i = 0; i < prompts; ++i) {
    const std::string field = Format(prompts == 1 ? "{}" : "{}[{}]", kPrompt, i);
    Result<Prompt> prompt = CompletionText(model, *request, request->prompts[i]);
    if (!prompt.ok()) return FromError(prompt.error(), field);
    echoes.push_back(request->echo ? prompt->text : "");
    if (auto refused = preparer.Add(std::move(*prompt), field)) return *refused;
  }
  return preparer.Take(
      MakeCompletionFormat(preparer.Head("cmpl-", time.unix_seconds), preparer.form(),
                           std::move(echoes), model.text.tokenizer),
      kPrompt);
}

}  // namespace fathom
