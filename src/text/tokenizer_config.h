#ifndef FATHOM_TEXT_TOKENIZER_CONFIG_H_
#define FATHOM_TEXT_TOKENIZER_CONFIG_H_

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/added_tokens.h"

namespace fathom {

// What Fathom uses of tokenizer_config.json.
struct TokenizerConfig {
  std::string bos_token;  // "" when there is none
  std::string eos_token;
  std::optional<bool> add_bos;               // add_bos_token
  std::optional<std::string> chat_template;  // of a list of named ones, "default"
  std::vector<AddedToken> added_tokens;      // added_tokens_decoder
};

// Errors (kBadInput) name the JSON path.
Result<TokenizerConfig> ReadTokenizerConfig(const JsonReader& root);

// One object of "added_tokens" or "added_tokens_decoder" without its id.
Result<AddedToken> ReadAddedToken(const JsonReader& place);

}  // namespace fathom

#endif  // FATHOM_TEXT_TOKENIZER_CONFIG_H_
