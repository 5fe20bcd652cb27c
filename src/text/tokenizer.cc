#include "text/tokenizer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "text/added_tokens.h"
#include "text/bpe.h"
#include "text/marked_text.h"
#include "text/normalizer.h"
#include "text/template_text.h"
#include "text/tokenizer_config.h"
#include "text/tokenizer_json.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace fathom {
namespace {

AddedTokenFinder MakeFinder(const std::vector<AddedToken>& tokens, const Normalizer& normalizer,
                            bool normalized) {
  std::vector<AddedToken> chosen;
  for (const AddedToken& token : tokens) {
    if (token.normalized != normalized) continue;
    chosen.push_back(token);
    if (normalized) chosen.back().content = normalizer.Normalize(token.content);
  }
  return AddedTokenFinder(std::move(chosen));
}

Status AddToVocabulary(const std::vector<AddedToken>& tokens, const std::string& where,
                       Vocabulary& vocabulary) {
  for (const AddedToken& token : tokens) {
    Status added = vocabulary.AddText(token.content, token.id);
    if (!added.ok()) return Within(where, std::move(added).error());
  }
  return Ok();
}

constexpr const char* kFetchBoth =
    "tokenizer_config.json and tokenizer.json do not belong together: fetch both again";

Status CheckConfig(const TokenizerConfig& config, const Vocabulary& vocabulary) {
  for (const auto& [name, token] :
       {std::pair("bos_token", &config.bos_token), std::pair("eos_token", &config.eos_token)}) {
    if (token->empty() || vocabulary.Find(*token).has_value()) continue;
    return BadInput(Format("{} \"{}\" is not a token of tokenizer.json", name, *token), "",
                    kFetchBoth);
  }
  if (config.add_bos.value_or(false) && config.bos_token.empty()) {
    return BadInput("add_bos_token is true, but there is no bos_token", "", kFetchBoth);
  }
  return Ok();
}

}  // namespace

struct Tokenizer::State {
  State(TokenizerJson parts, TokenizerConfig tokenizer_config);

  // Of tokenizer.json and of the config, whose flags win, as in transformers.
  std::vector<AddedToken> AllAddedTokens() const;
  std::optional<int64_t> LongestTokenBytes() const;
  // What is left of a text once its tokens that are not normalised are out; ids are appended.
  Status EncodeSegment(const MarkedText& segment, Bpe::Scratch& scratch,
                       std::vector<int32_t>& ids) const;
  Status EncodeWords(std::string_view text, Bpe::Scratch& scratch, std::vector<int32_t>& ids) const;
  Result<std::vector<int32_t>> Encode(const MarkedText& input) const;

  TokenizerJson json;
  TokenizerConfig config;
  AddedTokenFinder raw_tokens;
  AddedTokenFinder normalized_tokens;
  std::unordered_set<int32_t> special_ids;
  std::unordered_map<std::string_view, int32_t> words;  // whole words, when merges are ignored
  bool add_bos = false;
  std::optional<int64_t> longest_bytes;
};

std::vector<AddedToken> Tokenizer::State::AllAddedTokens() const {
  std::map<std::string_view, AddedToken> by_content;
  for (const auto* list : {&json.added_tokens, &config.added_tokens}) {
    for (const AddedToken& token : *list) by_content[token.content] = token;
  }
  std::vector<AddedToken> tokens;
  tokens.reserve(by_content.size());
  for (const auto& [content, token] : by_content) tokens.push_back(token);
  return tokens;
}

Tokenizer::State::State(TokenizerJson parts, TokenizerConfig tokenizer_config)
    : json(std::move(parts)),
      config(std::move(tokenizer_config)),
      raw_tokens(MakeFinder(AllAddedTokens(), json.normalizer, false)),
      normalized_tokens(MakeFinder(AllAddedTokens(), json.normalizer, true)) {
  std::unordered_set<int32_t> added_ids;
  for (const AddedToken& token : AllAddedTokens()) {
    added_ids.insert(token.id);
    if (token.special) special_ids.insert(token.id);
  }
  const std::string& first = json.first_of_template;
  add_bos = config.add_bos.value_or(!first.empty() && first == config.bos_token);
  longest_bytes = LongestTokenBytes();
  if (!json.ignore_merges) return;
  const auto size = static_cast<int32_t>(json.vocabulary.size());
  for (int32_t id = 0; id < size; ++id) {
    // A control token must not come out of plain text.
    if (json.vocabulary.Has(id) && !added_ids.contains(id)) {
      words.emplace(json.vocabulary.BytesOf(id), id);
    }
  }
}

std::optional<int64_t> Tokenizer::State::LongestTokenBytes() const {
  if (!json.normalizer.is_identity()) return std::nullopt;
  for (const AddedToken& token : AllAddedTokens()) {
    if (token.lstrip || token.rstrip) return std::nullopt;
  }
  size_t longest = 1;
  const auto size = static_cast<int32_t>(json.vocabulary.size());
  for (int32_t id = 0; id < size; ++id) {
    longest = std::max(longest, json.vocabulary.BytesOf(id).size());
  }
  return static_cast<int64_t>(longest);
}

Status Tokenizer::State::EncodeWords(std::string_view text, Bpe::Scratch& scratch,
                                     std::vector<int32_t>& ids) const {
  FATHOM_TRY(const std::vector<std::string_view> pieces, json.pre_tokenizer.Split(text));
  for (const std::string_view word : pieces) {
    const auto whole = words.find(word);
    if (whole != words.end()) {
      ids.push_back(whole->second);
    } else {
      json.bpe.Encode(word, scratch, ids);
    }
  }
  return Ok();
}

Status Tokenizer::State::EncodeSegment(const MarkedText& segment, Bpe::Scratch& scratch,
                                       std::vector<int32_t>& ids) const {
  const MarkedText input = json.normalizer.Normalize(segment);
  const std::string_view text = input.text();
  size_t done = 0;
  while (const auto found = normalized_tokens.Next(input, done)) {
    FATHOM_OK(EncodeWords(text.substr(done, found->begin - done), scratch, ids));
    ids.push_back(found->id);
    done = found->end;
  }
  return EncodeWords(text.substr(done), scratch, ids);
}

Result<std::vector<int32_t>> Tokenizer::State::Encode(const MarkedText& input) const {
  std::vector<int32_t> ids;
  Bpe::Scratch scratch;
  size_t done = 0;
  while (const auto found = raw_tokens.Next(input, done)) {
    FATHOM_OK(EncodeSegment(input.Slice(done, found->begin), scratch, ids));
    ids.push_back(found->id);
    done = found->end;
  }
  FATHOM_OK(EncodeSegment(input.Slice(done, input.size()), scratch, ids));
  return ids;
}

Tokenizer::Tokenizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Result<Tokenizer> Tokenizer::Parse(const TokenizerFiles& files, std::string_view folder) {
  const std::string prefix = folder.empty() ? "" : std::string(folder) + "/";
  const std::string json_name = prefix + "tokenizer.json";
  const std::string config_name = prefix + "tokenizer_config.json";
  const auto json_source = JsonSource::Fetched(json_name);
  const auto config_source = JsonSource::Fetched(config_name);
  FATHOM_TRY(const Json json, ParseJson(files.tokenizer_json, json_source));
  FATHOM_TRY(TokenizerJson parts, ReadTokenizerJson(JsonReader(json, json_source)));
  TokenizerConfig config;
  if (!files.tokenizer_config.empty()) {
    FATHOM_TRY(const Json parsed, ParseJson(files.tokenizer_config, config_source));
    FATHOM_TRY(config, ReadTokenizerConfig(JsonReader(parsed, config_source)));
  }
  if (!files.chat_template.empty()) {
    config.chat_template = TemplateText{files.chat_template, prefix + "chat_template.jinja"};
  }
  FATHOM_OK(AddToVocabulary(parts.added_tokens, json_name + ": /added_tokens", parts.vocabulary));
  FATHOM_OK(AddToVocabulary(config.added_tokens, config_name + ": /added_tokens_decoder",
                            parts.vocabulary));
  Status consistent = CheckConfig(config, parts.vocabulary);
  if (!consistent.ok()) return Within(config_name, std::move(consistent).error());
  return Tokenizer(std::make_unique<State>(std::move(parts), std::move(config)));
}

Result<std::vector<int32_t>> Tokenizer::Encode(std::string_view text, bool parse_special) const {
  return state_->Encode(MarkedText(text, !parse_special));
}

Result<std::vector<int32_t>> Tokenizer::Encode(std::span<const TextSpan> spans) const {
  return state_->Encode(MarkedText(spans));
}

std::string Tokenizer::DecodeBytes(std::span<const int32_t> ids, bool skip_special) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (skip_special && state_->special_ids.contains(id)) continue;
    bytes += state_->json.vocabulary.BytesOf(id);
  }
  return bytes;
}

std::string Tokenizer::Decode(std::span<const int32_t> ids, bool skip_special) const {
  return ReplaceInvalidUtf8(DecodeBytes(ids, skip_special));
}

std::optional<int32_t> Tokenizer::TokenId(std::string_view token) const {
  return state_->json.vocabulary.Find(token);
}
int64_t Tokenizer::vocab_size() const {
  return static_cast<int64_t>(state_->json.vocabulary.size());
}
std::optional<int64_t> Tokenizer::longest_token_bytes() const { return state_->longest_bytes; }
std::optional<int32_t> Tokenizer::bos_id() const { return TokenId(bos_token()); }
std::optional<int32_t> Tokenizer::eos_id() const { return TokenId(eos_token()); }
std::string Tokenizer::bos_token() const { return state_->config.bos_token; }
std::string Tokenizer::eos_token() const { return state_->config.eos_token; }
bool Tokenizer::add_bos() const { return state_->add_bos; }
const Json& Tokenizer::special_tokens() const { return state_->config.special_tokens; }
const Result<TemplateText>& Tokenizer::chat_template() const {
  return state_->config.chat_template;
}

}  // namespace fathom
