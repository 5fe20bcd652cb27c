#ifndef FATHOM_TEXT_TOKENIZER_H_
#define FATHOM_TEXT_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "io/file_system.h"
#include "text/marked_text.h"
#include "text/template_text.h"

namespace fathom {

// The texts of a checkpoint's tokenizer files; "" for one that is not there.
struct TokenizerFiles {
  std::string tokenizer_json;
  std::string tokenizer_config;
  std::string chat_template;
};

// A checkpoint's own tokenizer: byte-level BPE as tokenizer.json describes it (Hugging Face
// tokenizers). docs/formats/tokenizer.md.
//
// Threads  const calls are safe from several threads at once.
class Tokenizer {
 public:
  // Reads tokenizer.json and, if there, tokenizer_config.json and chat_template.jinja (which then
  // is the chat template). Errors name file, JSON path and what is supported. A chat template that
  // is not as it should be is no error here.
  static Result<Tokenizer> Load(FileSystem& files, const std::string& folder);
  // The same from the files' texts; `folder` is for messages and may be "".
  static Result<Tokenizer> Parse(const TokenizerFiles& files, std::string_view folder);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // parse_special: added tokens inside the text become their ids, as transformers does; else the
  // text is plain. No BOS is added. Bytes that are not UTF-8 are encoded one by one as bytes, so
  // that DecodeBytes gives every text back (a normalizer's changes and the white space that tokens
  // with lstrip or rstrip take apart). Error (kBadInput): a pattern of the pre-tokenizer gives up
  // on the text.
  Result<std::vector<int32_t>> Encode(std::string_view text, bool parse_special) const;
  // Spans of one prompt: added tokens are parsed in spans of the template only. Where no message
  // holds the text of an added token the ids equal those of encoding the whole prompt at once.
  Result<std::vector<int32_t>> Encode(std::span<const TextSpan> spans) const;
  // Ids to bytes that are UTF-8 but for what the ids themselves cut; ids outside the vocabulary
  // give nothing.
  std::string DecodeBytes(std::span<const int32_t> ids, bool skip_special) const;
  // The same with U+FFFD for bytes that are not UTF-8: what transformers prints with
  // clean_up_tokenization_spaces=False. Where tokenizer_config.json sets that, transformers also
  // takes spaces away before punctuation; Fathom keeps what the model wrote.
  std::string Decode(std::span<const int32_t> ids, bool skip_special) const;

  std::optional<int32_t> TokenId(std::string_view token) const;
  int64_t vocab_size() const;  // one past the largest id, added tokens included
  // No text of more bytes than n times this is encoded in n tokens. None where that cannot be said:
  // a normalizer may shorten texts, or tokens take white space beside them.
  std::optional<int64_t> longest_token_bytes() const;
  std::optional<int32_t> bos_id() const;
  std::optional<int32_t> eos_id() const;
  std::string bos_token() const;  // "" when there is none
  std::string eos_token() const;
  // What templates see by name: {"bos_token": "<s>", ...}; only those that are set.
  const Json& special_tokens() const;
  bool add_bos() const;  // add_bos_token: raw completions begin with BOS
  // Errors: there is none, or only named ones without "default".
  const Result<TemplateText>& chat_template() const;

 private:
  struct State;
  explicit Tokenizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fathom

#endif  // FATHOM_TEXT_TOKENIZER_H_
