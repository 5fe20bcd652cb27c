#ifndef FATHOM_TEXT_TOKENIZER_CONFIG_H_
#define FATHOM_TEXT_TOKENIZER_CONFIG_H_

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/added_tokens.h"
#include "text/template_text.h"

namespace fathom {

// There is none in `where`.
Error NoChatTemplate(std::string where);

// What Fathom uses of tokenizer_config.json.
struct TokenizerConfig {
  std::string bos_token;  // "" when there is none
  std::string eos_token;
  // Those that are set, as templates see them: {"bos_token": "<s>", ...}; also unk, sep, pad, cls
  // and mask_token and the list additional_special_tokens.
  Json special_tokens = Json::MakeObject();
  std::optional<bool> add_bos;           // add_bos_token
  std::vector<AddedToken> added_tokens;  // added_tokens_decoder
  // Of a list of named ones, "default". Its error is that of who needs it, not of the file.
  Result<TemplateText> chat_template = NoChatTemplate("");
};

// Errors (kBadInput) name the JSON path.
Result<TokenizerConfig> ReadTokenizerConfig(const JsonReader& root);

// One object of "added_tokens" or "added_tokens_decoder" without its id.
Result<AddedToken> ReadAddedToken(const JsonReader& place);

}  // namespace fathom

#endif  // FATHOM_TEXT_TOKENIZER_CONFIG_H_
