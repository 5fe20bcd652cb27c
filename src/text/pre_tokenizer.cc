#include "text/pre_tokenizer.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "text/regex.h"
#include "text/utf8.h"

namespace fathom {
namespace {

// GPT-2's words (its encoder.py), which a ByteLevel step with use_regex applies itself.
constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

Status SplitPiece(Regex::Search& search, std::string_view piece,
                  std::vector<std::string_view>& out) {
  search.Start(piece);
  Regex::Match match;
  size_t done = 0;
  while (true) {
    FATHOM_TRY(const bool found, search.Next(match));
    if (!found) break;
    if (match.begin > done) out.push_back(piece.substr(done, match.begin - done));
    out.push_back(piece.substr(match.begin, match.end - match.begin));
    done = match.end;
  }
  if (done < piece.size()) out.push_back(piece.substr(done));
  return Ok();
}

}  // namespace

Result<PreTokenizer> PreTokenizer::Parse(const JsonReader& place) {
  PreTokenizer result;
  if (place.value().is_null()) return place.Mismatch("", "a ByteLevel or a Sequence ending in one");
  FATHOM_TRY(const std::string type, place.String("type"));
  if (type != "Sequence") {
    FATHOM_OK(result.AddStep(place));
  } else {
    FATHOM_TRY(const JsonReader steps, place.ArrayAt("pretokenizers"));
    for (size_t i = 0; i < steps.value().as_array().size(); ++i) {
      FATHOM_OK(result.AddStep(steps.At(i)));
    }
  }
  if (result.ends_in_bytes_) return result;
  return BadInput("the pre-tokenizer does not end in a ByteLevel step", place.Where(),
                  "only byte-level BPE tokenizers are supported: use a checkpoint that has one");
}

Status PreTokenizer::AddStep(const JsonReader& step) {
  FATHOM_TRY(const std::string type, step.String("type"));
  if (ends_in_bytes_) {
    return step.Wrong(Format("step {} after ByteLevel is not supported", type));
  }
  if (type == "Split") return AddSplit(step);
  if (type == "ByteLevel") return AddByteLevel(step);
  if (type == "Digits") {
    FATHOM_TRY(const bool individual, step.BoolOr("individual_digits", false));
    return AddPattern(individual ? R"(\p{N})" : R"(\p{N}+)", Regex::Syntax::kPattern, step);
  }
  return step.Mismatch("type", "one of \"Sequence\", \"Split\", \"Digits\", \"ByteLevel\"");
}

Status PreTokenizer::AddSplit(const JsonReader& step) {
  FATHOM_TRY(const std::string behavior, step.String("behavior"));
  if (behavior != "Isolated") return step.Mismatch("behavior", "\"Isolated\"");
  FATHOM_TRY(const bool invert, step.BoolOr("invert", false));
  if (invert) return step.Mismatch("invert", "false");
  FATHOM_TRY(const JsonReader pattern, step.Object("pattern"));
  if (pattern.Has("String")) {
    FATHOM_TRY(const std::string literal, pattern.String("String"));
    return AddPattern(literal, Regex::Syntax::kLiteral, pattern);
  }
  FATHOM_TRY(const std::string regex, pattern.String("Regex"));
  return AddPattern(regex, Regex::Syntax::kPattern, pattern);
}

Status PreTokenizer::AddByteLevel(const JsonReader& step) {
  FATHOM_TRY(const bool add_prefix_space, step.BoolOr("add_prefix_space", true));
  if (add_prefix_space) return step.Mismatch("add_prefix_space", "false");
  ends_in_bytes_ = true;
  FATHOM_TRY(const bool use_regex, step.BoolOr("use_regex", true));
  return use_regex ? AddPattern(kGpt2Pattern, Regex::Syntax::kPattern, step) : Ok();
}

Status PreTokenizer::AddPattern(std::string_view pattern, Regex::Syntax syntax,
                                const JsonReader& step) {
  Result<Regex> regex = Regex::Compile(pattern, syntax);
  if (!regex.ok()) return Within(step.Where(), std::move(regex).error());
  steps_.push_back({std::move(regex).value(), step.Where()});
  return Ok();
}

Result<std::vector<std::string_view>> PreTokenizer::Split(std::string_view text) const {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const size_t valid = ValidUtf8Prefix(text);
    if (valid > 0) FATHOM_OK(SplitValid(text.substr(0, valid), pieces));
    text.remove_prefix(valid);
    if (text.empty()) break;
    const size_t invalid = DecodeUtf8(text, 0).length;
    pieces.push_back(text.substr(0, invalid));
    text.remove_prefix(invalid);
  }
  return pieces;
}

Status PreTokenizer::SplitValid(std::string_view text,
                                std::vector<std::string_view>& pieces) const {
  std::vector<std::string_view> current = {text};
  std::vector<std::string_view> next;
  for (const Step& step : steps_) {
    Regex::Search search(step.regex);
    next.clear();
    for (const std::string_view piece : current) {
      Status split = SplitPiece(search, piece, next);
      if (!split.ok()) return Within(step.where, std::move(split).error());
    }
    current.swap(next);
  }
  pieces.insert(pieces.end(), current.begin(), current.end());
  return Ok();
}

}  // namespace fathom
