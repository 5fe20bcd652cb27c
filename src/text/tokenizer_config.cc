#include "text/tokenizer_config.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "text/added_tokens.h"
#include "text/template_text.h"
#include "text/utf8.h"

namespace fathom {
namespace {

// A special token is written as its text or as an object with "content".
Result<std::string> ReadSpecialToken(const JsonReader& place) {
  if (place.value().is_string()) return place.value().as_string();
  if (place.value().is_object()) return place.String("content");
  return place.Mismatch("", "a string or an object with \"content\"");
}

// The names that transformers gives to templates.
Result<Json> ReadSpecialTokens(const JsonReader& root) {
  constexpr const char* kList = "additional_special_tokens";
  Json tokens = Json::MakeObject();
  for (const char* key : {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token",
                          "cls_token", "mask_token"}) {
    if (!root.Has(key)) continue;
    FATHOM_TRY(const JsonReader place, root.MemberAt(key));
    FATHOM_TRY(std::string token, ReadSpecialToken(place));
    if (!token.empty()) tokens.Set(key, std::move(token));
  }
  if (!root.Has(kList)) return tokens;
  FATHOM_TRY(const JsonReader list, root.ArrayAt(kList));
  Json texts = Json::MakeArray();
  for (size_t i = 0; i < list.value().as_array().size(); ++i) {
    FATHOM_TRY(std::string token, ReadSpecialToken(list.At(i)));
    texts.Append(std::move(token));
  }
  if (!texts.as_array().empty()) tokens.Set(kList, std::move(texts));
  return tokens;
}

std::string TextOf(const Json& tokens, std::string_view key) {
  const Json* token = tokens.Find(key);
  return token == nullptr ? "" : token->as_string();
}

Result<TemplateText> DefaultOf(const JsonReader& list) {
  for (size_t i = 0; i < list.value().as_array().size(); ++i) {
    FATHOM_TRY(const std::string name, list.At(i).String("name"));
    if (name != "default") continue;
    FATHOM_TRY(std::string text, list.At(i).String("template"));
    return TemplateText{std::move(text), list.At(i).Where() + "/template"};
  }
  return BadInput("none of the chat templates is named \"default\"", list.Where(),
                  "write the one to use into a file and name it with --chat-template FILE");
}

Result<TemplateText> ReadChatTemplate(const JsonReader& root) {
  constexpr const char* kKey = "chat_template";
  if (!root.Has(kKey)) return NoChatTemplate(root.Where());
  const Json& value = *root.value().Find(kKey);
  if (value.is_string()) return TemplateText{value.as_string(), root.Where() + ": /chat_template"};
  if (!value.is_array()) return root.Mismatch(kKey, "a string or an array of named templates");
  FATHOM_TRY(const JsonReader list, root.ArrayAt(kKey));
  return DefaultOf(list);
}

Result<int32_t> ReadIdKey(const std::string& key, const JsonReader& place) {
  int32_t id = 0;
  const char* end = key.data() + key.size();
  const auto parsed = std::from_chars(key.data(), end, id);
  if (parsed.ec == std::errc() && parsed.ptr == end && id >= 0) return id;
  return place.Wrong("key \"" + key + "\" is not a token id");
}

}  // namespace

Error NoChatTemplate(std::string where) {
  return BadInput(
      "the checkpoint has no chat template", std::move(where),
      "name one with --chat-template FILE; texts are continued without one by `fathom run "
      "--raw -p TEXT` and POST /v1/completions");
}

Result<AddedToken> ReadAddedToken(const JsonReader& place) {
  AddedToken token;
  FATHOM_TRY(token.content, place.String("content"));
  if (token.content.empty() || ValidUtf8Prefix(token.content) != token.content.size()) {
    return place.Mismatch("content", "text that is not empty");
  }
  FATHOM_TRY(const bool single_word, place.BoolOr("single_word", false));
  if (single_word) return place.Mismatch("single_word", "false (only that is supported)");
  FATHOM_TRY(token.special, place.BoolOr("special", false));
  FATHOM_TRY(token.lstrip, place.BoolOr("lstrip", false));
  FATHOM_TRY(token.rstrip, place.BoolOr("rstrip", false));
  FATHOM_TRY(token.normalized, place.BoolOr("normalized", !token.special));
  return token;
}

Result<TokenizerConfig> ReadTokenizerConfig(const JsonReader& root) {
  TokenizerConfig config;
  if (!root.value().is_object()) return root.Mismatch("", "an object");
  FATHOM_TRY(config.special_tokens, ReadSpecialTokens(root));
  config.bos_token = TextOf(config.special_tokens, "bos_token");
  config.eos_token = TextOf(config.special_tokens, "eos_token");
  if (root.Has("add_bos_token")) {
    FATHOM_TRY(config.add_bos, root.Bool("add_bos_token"));
  }
  config.chat_template = ReadChatTemplate(root);
  if (!root.Has("added_tokens_decoder")) return config;
  FATHOM_TRY(const JsonReader added, root.Object("added_tokens_decoder"));
  for (const auto& [key, value] : added.value().as_object()) {
    FATHOM_TRY(const JsonReader place, added.Object(key));
    FATHOM_TRY(AddedToken token, ReadAddedToken(place));
    FATHOM_TRY(token.id, ReadIdKey(key, added));
    config.added_tokens.push_back(std::move(token));
  }
  return config;
}

}  // namespace fathom
