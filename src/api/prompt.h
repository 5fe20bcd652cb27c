#ifndef FATHOM_API_PROMPT_H_
#define FATHOM_API_PROMPT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/input_text.h"
#include "base/json.h"
#include "base/result.h"
#include "text/text_assets.h"

namespace fathom {

struct PromptOptions {
  bool add_generation_prompt = true;
  // True: added tokens are parsed wherever they stand, also inside messages, as transformers does.
  // False: message content is plain text, only the template writes control tokens.
  bool parse_special = false;
  Json template_arguments = Json::MakeObject();  // further variables of the template
  std::string date = {};  // what strftime_now of a template formats: "2026-01-02" (LocalDate)
};

struct Prompt {
  std::string text;
  std::vector<int32_t> ids;
};

// Renders a conversation by the chat template. Errors (kBadInput): there is no template that can be
// used; what the template raises.
Result<Prompt> RenderPrompt(const TextAssets& assets, const Conversation& conversation,
                            const PromptOptions& options);

// A completion without a template: the text, after BOS where the tokenizer adds one. Errors: as
// Tokenizer::Encode.
Result<Prompt> RawPrompt(const TextAssets& assets, std::string_view text, bool parse_special);

}  // namespace fathom

#endif  // FATHOM_API_PROMPT_H_
