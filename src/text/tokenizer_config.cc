#include "text/tokenizer_config.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "text/added_tokens.h"
#include "text/utf8.h"

namespace fathom {
namespace {

// A special token is written as its text or as an object with "content".
Result<std::string> ReadSpecialToken(const JsonReader& root, const char* key) {
  if (!root.Has(key)) return std::string();
  const Json& token = *root.value().Find(key);
  if (token.is_string()) return token.as_string();
  if (!token.is_object()) return root.Mismatch(key, "a string or an object with \"content\"");
  FATHOM_TRY(const JsonReader object, root.Object(key));
  return object.String("content");
}

Result<std::optional<std::string>> ReadChatTemplate(const JsonReader& root) {
  constexpr const char* kKey = "chat_template";
  if (!root.Has(kKey)) return std::optional<std::string>();
  const Json& value = *root.value().Find(kKey);
  if (value.is_string()) return std::optional(value.as_string());
  if (!value.is_array()) return root.Mismatch(kKey, "a string or an array of named templates");
  FATHOM_TRY(const JsonReader list, root.ArrayAt(kKey));
  for (size_t i = 0; i < list.value().as_array().size(); ++i) {
    FATHOM_TRY(const std::string name, list.At(i).String("name"));
    if (name != "default") continue;
    FATHOM_TRY(std::string text, list.At(i).String("template"));
    return std::optional(std::move(text));
  }
  return list.Wrong("none of the chat templates is named \"default\"");
}

Result<int32_t> ReadIdKey(const std::string& key, const JsonReader& place) {
  int32_t id = 0;
  const char* end = key.data() + key.size();
  const auto parsed = std::from_chars(key.data(), end, id);
  if (parsed.ec == std::errc() && parsed.ptr == end && id >= 0) return id;
  return place.Wrong("key \"" + key + "\" is not a token id");
}

}  // namespace

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
  FATHOM_TRY(config.bos_token, ReadSpecialToken(root, "bos_token"));
  FATHOM_TRY(config.eos_token, ReadSpecialToken(root, "eos_token"));
  if (root.Has("add_bos_token")) {
    FATHOM_TRY(config.add_bos, root.Bool("add_bos_token"));
  }
  FATHOM_TRY(config.chat_template, ReadChatTemplate(root));
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
