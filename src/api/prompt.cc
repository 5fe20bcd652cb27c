#include "api/prompt.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/continued_message.h"
#include "api/input_text.h"
#include "api/reasoning_splitter.h"
#include "base/format.h"
#include "base/json.h"
#include "base/math.h"
#include "base/result.h"
#include "text/chat_template.h"
#include "text/marked_text.h"
#include "text/text_assets.h"
#include "text/tokenizer.h"

namespace fathom {

namespace {

constexpr std::string_view kDeveloper = "developer";

Json WithoutDeveloper(Json messages) {
  for (Json& message : messages.as_array()) {
    const Json* role = message.Find("role");
    const bool is_developer =
        role != nullptr && role->is_string() && role->as_string() == kDeveloper;
    if (is_developer) message.Set("role", "system");
  }
  return messages;
}

Json WithoutNullContent(Json messages) {
  for (Json& message : messages.as_array()) {
    const Json* content = message.Find("content");
    if (content != nullptr && content->is_null()) message.Set("content", "");
  }
  return messages;
}

// Templates that write the calls of tools where the content is none ask for it; others add the
// content to texts.
bool AsksForNone(const ChatTemplate& chat_template) {
  return chat_template.Mentions("none") || chat_template.Mentions("None");
}

Json MessagesFor(const ChatTemplate& chat_template, Json messages, const PromptOptions& options) {
  if (!chat_template.Mentions(kDeveloper)) messages = WithoutDeveloper(std::move(messages));
  if (!AsksForNone(chat_template)) messages = WithoutNullContent(std::move(messages));
  return options.continue_final_message ? MarkLastMessage(std::move(messages)) : messages;
}

// The first sentence is OpenAI's: clients look for its words.
Status CheckBytes(const Tokenizer& tokenizer, std::string_view text, int64_t context_tokens) {
  const std::optional<int64_t> longest = tokenizer.longest_token_bytes();
  if (!longest) return Ok();
  const auto bytes = static_cast<int64_t>(text.size());
  const int64_t least_tokens = CeilDiv(bytes, *longest);
  if (least_tokens < context_tokens) return Ok();
  return DoesNotFit(Format("This model's maximum context length is {} tokens. However, your prompt "
                           "has {} bytes, which are at least {} tokens",
                           context_tokens, bytes, least_tokens),
                    "", "shorten the prompt");
}

}  // namespace

Result<Prompt> RenderPrompt(const TextAssets& assets, const Conversation& conversation,
                            const PromptOptions& options) {
  if (!assets.chat_template.ok()) return assets.chat_template.error();
  ChatTemplate::Input input;
  input.messages = MessagesFor(*assets.chat_template, conversation.messages, options);
  input.tools = conversation.tools;
  input.add_generation_prompt = options.add_generation_prompt;
  input.special_tokens = assets.tokenizer.special_tokens();
  input.extra = options.template_arguments;
  input.date = options.date;
  FATHOM_TRY(std::vector<TextSpan> spans, assets.chat_template->Render(input));
  Prompt prompt;
  if (options.continue_final_message) {
    FATHOM_TRY(prompt.reasoning, CutAtMark(spans));
  }
  prompt.text = JoinSpans(spans);
  if (!options.continue_final_message) prompt.reasoning = ReasoningModeAfter(prompt.text);
  FATHOM_OK(CheckBytes(assets.tokenizer, prompt.text, options.context_tokens));
  FATHOM_TRY(prompt.ids, options.parse_special
                             ? assets.tokenizer.Encode(prompt.text, true)
                             : assets.tokenizer.Encode(std::span<const TextSpan>(spans)));
  return prompt;
}

Result<Prompt> RawPrompt(const TextAssets& assets, std::string_view text,
                         const RawPromptOptions& options) {
  FATHOM_OK(CheckBytes(assets.tokenizer, text, options.context_tokens));
  Prompt prompt;
  prompt.text = text;
  const auto bos = assets.tokenizer.bos_id();
  if (options.add_bos && assets.tokenizer.add_bos() && bos) prompt.ids.push_back(*bos);
  FATHOM_TRY(const std::vector<int32_t> ids, assets.tokenizer.Encode(text, options.parse_special));
  prompt.ids.insert(prompt.ids.end(), ids.begin(), ids.end());
  return prompt;
}

}  // namespace fathom
