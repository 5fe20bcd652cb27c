#ifndef FATHOM_API_PROMPT_H_
#define FATHOM_API_PROMPT_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "api/input_text.h"
#include "api/reasoning_splitter.h"
#include "base/json.h"
#include "base/result.h"
#include "text/text_assets.h"

namespace fathom {

struct PromptOptions {
  bool add_generation_prompt = true;
  // True: added tokens are parsed wherever they stand, also inside messages, as transformers does.
  // False: message content is plain text, only the template writes control tokens.
  bool parse_special = false;
  // The prompt ends inside the last message, and the answer goes on there; that message has text.
  // Goes with add_generation_prompt false.
  bool continue_final_message = false;
  Json template_arguments = Json::MakeObject();  // further variables of the template
  // The prompt and a token of an answer have to fit into so many. A text that cannot, by its bytes,
  // is refused before it is tokenized: megabytes take seconds.
  int64_t context_tokens = std::numeric_limits<int64_t>::max();
  std::string date = {};  // what strftime_now of a template formats: "2026-01-02" (LocalDate)
};

struct Prompt {
  std::string text;
  std::vector<int32_t> ids;
  ReasoningMode reasoning = ReasoningMode::kOff;  // how the answer begins
};

// Renders a conversation by the chat template. A message of the developer is the system's, unless
// the template's text has the word "developer" and so decides itself: templates skip roles they do
// not know, and an instruction would be lost. Content that is null (of a message that calls tools)
// is "", as vLLM has it, unless the template has the word "none" and so looks for it: R1's writes
// the calls of tools only there. Errors (kBadInput): there is no template that can be
// used; what the template raises; it leaves out the message that is to be continued
// (kDoesNotFit): the text is too long for the context.
Result<Prompt> RenderPrompt(const TextAssets& assets, const Conversation& conversation,
                            const PromptOptions& options);

struct RawPromptOptions {
  bool parse_special = true;                                     // as above
  bool add_bos = true;                                           // where the tokenizer adds one
  int64_t context_tokens = std::numeric_limits<int64_t>::max();  // as above
};

// A completion without a template: BOS and the text. All of the answer is text. Errors: as
// Tokenizer::Encode; (kDoesNotFit) the text is too long for the context.
Result<Prompt> RawPrompt(const TextAssets& assets, std::string_view text,
                         const RawPromptOptions& options);

}  // namespace fathom

#endif  // FATHOM_API_PROMPT_H_
