#include "api/prompt.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/input_text.h"
#include "base/result.h"
#include "text/chat_template.h"
#include "text/marked_text.h"
#include "text/text_assets.h"
#include "text/tokenizer.h"

namespace fathom {

Result<Prompt> RenderPrompt(const TextAssets& assets, const Conversation& conversation,
                            const PromptOptions& options) {
  if (!assets.chat_template.ok()) return assets.chat_template.error();
  ChatTemplate::Input input;
  input.messages = conversation.messages;
  input.tools = conversation.tools;
  input.add_generation_prompt = options.add_generation_prompt;
  input.special_tokens = assets.tokenizer.special_tokens();
  input.extra = options.template_arguments;
  input.date = options.date;
  FATHOM_TRY(const std::vector<TextSpan> spans, assets.chat_template->Render(input));
  Prompt prompt{JoinSpans(spans), {}};
  FATHOM_TRY(prompt.ids, options.parse_special
                             ? assets.tokenizer.Encode(prompt.text, true)
                             : assets.tokenizer.Encode(std::span<const TextSpan>(spans)));
  return prompt;
}

Result<Prompt> RawPrompt(const TextAssets& assets, std::string_view text, bool parse_special) {
  Prompt prompt{std::string(text), {}};
  const auto bos = assets.tokenizer.bos_id();
  if (assets.tokenizer.add_bos() && bos) prompt.ids.push_back(*bos);
  FATHOM_TRY(const std::vector<int32_t> ids, assets.tokenizer.Encode(text, parse_special));
  prompt.ids.insert(prompt.ids.end(), ids.begin(), ids.end());
  return prompt;
}

}  // namespace fathom
