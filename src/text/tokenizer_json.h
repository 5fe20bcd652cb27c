#ifndef FATHOM_TEXT_TOKENIZER_JSON_H_
#define FATHOM_TEXT_TOKENIZER_JSON_H_

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/added_tokens.h"
#include "text/bpe.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/vocabulary.h"

namespace fathom {

// What Fathom uses of tokenizer.json.
struct TokenizerJson {
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  Vocabulary vocabulary;  // without the added tokens
  Bpe bpe;
  bool ignore_merges = false;  // a word that is an entry is that entry, whatever the merges say
  std::vector<AddedToken> added_tokens;
  std::string first_of_template;  // the token that post_processor puts in front, "" if none
};

// Errors (kBadInput) name the JSON path and what is supported.
Result<TokenizerJson> ReadTokenizerJson(const JsonReader& root);

}  // namespace fathom

#endif  // FATHOM_TEXT_TOKENIZER_JSON_H_
