#include "text/tokenizer_json.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "text/added_tokens.h"
#include "text/bpe.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer_config.h"
#include "text/vocabulary.h"

namespace fathom {
namespace {

Status CheckModel(const JsonReader& model) {
  FATHOM_TRY(const std::string type, model.StringOr("type", "BPE"));
  if (type != "BPE") return model.Mismatch("type", "\"BPE\"");
  FATHOM_TRY(const bool byte_fallback, model.BoolOr("byte_fallback", false));
  if (byte_fallback) return model.Mismatch("byte_fallback", "false");
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    FATHOM_TRY(const std::string affix, model.StringOr(key, ""));
    if (!affix.empty()) return model.Mismatch(key, "null or \"\"");
  }
  FATHOM_TRY(const double dropout, model.NumberOr("dropout", 0));
  if (dropout != 0) return model.Mismatch("dropout", "null or 0");
  return Ok();
}

Status CheckDecoder(const JsonReader& root) {
  FATHOM_TRY(const JsonReader decoder, root.Object("decoder"));
  FATHOM_TRY(const std::string type, decoder.String("type"));
  if (type != "ByteLevel") return decoder.Mismatch("type", "\"ByteLevel\"");
  return Ok();
}

Result<Vocabulary> ReadVocabulary(const JsonReader& model) {
  Vocabulary vocabulary;
  FATHOM_TRY(const JsonReader entries, model.Object("vocab"));
  for (const auto& [entry, id] : entries.value().as_object()) {
    if (!id.fits_int()) return entries.Mismatch(entry, "an integer");
    Status added = vocabulary.Add(entry, id.as_int());
    if (!added.ok()) return Within(entries.Where(), std::move(added).error());
  }
  return vocabulary;
}

// A merge is written "left right" or, since entries may hold spaces, ["left", "right"].
std::optional<std::pair<std::string_view, std::string_view>> SidesOfMerge(const Json& merge) {
  if (merge.is_string()) {
    const std::string_view text = merge.as_string();
    const size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    return std::pair(text.substr(0, space), text.substr(space + 1));
  }
  if (!merge.is_array() || merge.as_array().size() != 2) return std::nullopt;
  const Json& left = merge.as_array()[0];
  const Json& right = merge.as_array()[1];
  if (!left.is_string() || !right.is_string()) return std::nullopt;
  return std::pair<std::string_view, std::string_view>(left.as_string(), right.as_string());
}

Result<Bpe::Merge> ReadMerge(const JsonReader& place, const Vocabulary& vocabulary) {
  const auto sides = SidesOfMerge(place.value());
  if (!sides.has_value()) {
    return place.Mismatch("", "\"left right\" or [\"left\", \"right\"]");
  }
  const std::string joined = std::string(sides->first).append(sides->second);
  Bpe::Merge merge;
  const std::pair<std::string_view, int32_t*> parts[] = {
      {sides->first, &merge.left}, {sides->second, &merge.right}, {joined, &merge.result}};
  for (const auto& [entry, id] : parts) {
    const std::optional<int32_t> found = vocabulary.Find(entry);
    if (!found.has_value()) return place.Wrong(Format("\"{}\" is not in the vocabulary", entry));
    *id = *found;
  }
  return merge;
}

Result<std::vector<Bpe::Merge>> ReadMerges(const JsonReader& model, const Vocabulary& vocabulary) {
  FATHOM_TRY(const JsonReader list, model.ArrayAt("merges"));
  const Json::Array& items = list.value().as_array();
  std::vector<Bpe::Merge> merges;
  merges.reserve(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    FATHOM_TRY(const Bpe::Merge merge, ReadMerge(list.At(i), vocabulary));
    merges.push_back(merge);
  }
  return merges;
}

Result<std::vector<AddedToken>> ReadAddedTokens(const JsonReader& root) {
  std::vector<AddedToken> tokens;
  if (!root.Has("added_tokens")) return tokens;
  FATHOM_TRY(const JsonReader list, root.ArrayAt("added_tokens"));
  for (size_t i = 0; i < list.value().as_array().size(); ++i) {
    FATHOM_TRY(AddedToken token, ReadAddedToken(list.At(i)));
    FATHOM_TRY(const int64_t id, list.At(i).Int("id", 0, Vocabulary::kMaxEntries - 1));
    token.id = static_cast<int32_t>(id);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// The token in front of the sequence in a TemplateProcessing, itself or inside a Sequence.
std::string FirstOfTemplate(const Json& processor) {
  if (const Json* processors = processor.Find("processors");
      processors != nullptr && processors->is_array()) {
    for (const Json& item : processors->as_array()) {
      if (std::string first = FirstOfTemplate(item); !first.empty()) return first;
    }
  }
  const Json* single = processor.Find("single");
  if (single == nullptr || !single->is_array() || single->as_array().empty()) return "";
  const Json* token = single->as_array()[0].Find("SpecialToken");
  const Json* id = token == nullptr ? nullptr : token->Find("id");
  return id != nullptr && id->is_string() ? id->as_string() : "";
}

}  // namespace

Result<TokenizerJson> ReadTokenizerJson(const JsonReader& root) {
  if (!root.value().is_object()) return root.Mismatch("", "an object");
  FATHOM_TRY(const JsonReader model, root.Object("model"));
  FATHOM_OK(CheckModel(model));
  FATHOM_OK(CheckDecoder(root));
  FATHOM_TRY(Normalizer normalizer, Normalizer::Parse(root));
  FATHOM_TRY(const JsonReader pre_tokenizer_place, root.Object("pre_tokenizer"));
  FATHOM_TRY(PreTokenizer pre_tokenizer, PreTokenizer::Parse(pre_tokenizer_place));
  FATHOM_TRY(Vocabulary vocabulary, ReadVocabulary(model));
  Result<std::array<int32_t, 256>> byte_ids = vocabulary.ByteIds();
  if (!byte_ids.ok()) return Within(model.Where() + "/vocab", std::move(byte_ids).error());
  FATHOM_TRY(std::vector<Bpe::Merge> merges, ReadMerges(model, vocabulary));
  FATHOM_TRY(const bool ignore_merges, model.BoolOr("ignore_merges", false));
  FATHOM_TRY(std::vector<AddedToken> added_tokens, ReadAddedTokens(root));
  const Json* processor = root.value().Find("post_processor");
  return TokenizerJson{normalizer,
                       std::move(pre_tokenizer),
                       std::move(vocabulary),
                       Bpe(*byte_ids, std::move(merges)),
                       ignore_merges,
                       std::move(added_tokens),
                       processor == nullptr ? "" : FirstOfTemplate(*processor)};
}

}  // namespace fathom
