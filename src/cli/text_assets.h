#ifndef FATHOM_CLI_TEXT_ASSETS_H_
#define FATHOM_CLI_TEXT_ASSETS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/input_text.h"
#include "base/json.h"
#include "base/result.h"
#include "io/file_system.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace fathom {

// What turns text into ids and back: a checkpoint's tokenizer and its chat template, whose error
// (none is there, it is not supported) is only that of commands that render one.
struct TextAssets {
  Tokenizer tokenizer;
  Result<ChatTemplate> chat_template;
};

// True when the folder holds a tokenizer.json.
bool HasTokenizer(FileSystem& files, const std::string& folder);

// Reads the tokenizer of `folder`. `template_file`, unless empty, takes the place of the chat
// template that the folder names; it has to be readable.
Result<TextAssets> LoadTextAssets(FileSystem& files, const std::string& folder,
                                  const std::string& template_file);

struct PromptOptions {
  bool add_generation_prompt = true;
  // True: added tokens are parsed wherever they stand, also inside messages, as transformers does.
  // False: message content is plain text, only the template writes control tokens.
  bool parse_special = false;
  Json template_arguments = Json::MakeObject();  // further variables of the template
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

#endif  // FATHOM_CLI_TEXT_ASSETS_H_
