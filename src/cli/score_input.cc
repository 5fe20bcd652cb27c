#include "cli/score_input.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/input_text.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/model_folder.h"
#include "cli/text_assets.h"

namespace fathom {
namespace {

// Names become file names.
bool IsName(std::string_view id) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
  };
  return !id.empty() && id != "." && id != ".." && id.size() <= 200 &&
         std::all_of(id.begin(), id.end(), allowed);
}

// The one of "ids", "text" and "messages" that the line has.
Result<std::string> Kind(const JsonReader& line) {
  std::vector<std::string> found;
  for (const auto& [key, value] : line.value().as_object()) {
    if (key == "ids" || key == "text" || key == "messages") found.push_back(key);
    const bool known = key == "id" || key == "tools" || (!found.empty() && found.back() == key);
    if (!known) return BadInput(Format("unknown member '{}'", key), line.Where());
  }
  if (found.size() != 1) {
    return BadInput(Format("expected exactly one of \"ids\", \"text\" and \"messages\", found {}",
                           found.size()),
                    line.Where());
  }
  if (found[0] != "messages" && line.Has("tools")) {
    return BadInput("\"tools\" needs \"messages\"", line.Where());
  }
  return found[0];
}

class LineParser {
 public:
  LineParser(const ModelFolder& folder, const ScoreInputOptions& options)
      : folder_(folder), options_(options) {}

  Result<ScoreItem> Parse(std::string_view text, int64_t number) {
    const std::string where = Format("{}: line {}", options_.source, number);
    FATHOM_TRY(const Json json, ParseJson(text, where));
    const JsonReader line(json, where);
    if (!json.is_object()) return line.Mismatch("", "an object");
    FATHOM_TRY(std::string id, line.String("id"));
    FATHOM_OK(CheckId(line, id, number));
    FATHOM_TRY(const std::string kind, Kind(line));
    FATHOM_TRY(std::vector<int32_t> ids, Ids(line, kind));
    FATHOM_OK(CheckLength(line, ids));
    return ScoreItem{std::move(id), std::move(ids)};
  }

 private:
  Status CheckId(const JsonReader& line, const std::string& id, int64_t number) {
    if (!IsName(id)) {
      return line.Mismatch("id", "a name of 1 to 200 letters, digits, '.', '_' and '-'");
    }
    const auto [at, is_new] = first_line_.emplace(id, number);
    if (is_new) return Ok();
    return BadInput(Format("id '{}' stands in line {} already", id, at->second), line.Where(),
                    "each line needs an id of its own");
  }

  Result<std::vector<int32_t>> Ids(const JsonReader& line, const std::string& kind) const {
    if (kind == "ids") return GivenIds(line);
    auto assets = NeedText(folder_, Format("\"{}\"", kind));
    if (!assets.ok()) return Within(line.Where(), std::move(assets).error());
    if (kind == "text") {
      FATHOM_TRY(const std::string text, line.String("text"));
      auto prompt = RawPrompt(**assets, text, options_.parse_special);
      if (!prompt.ok()) return Within(line.Where(), std::move(prompt).error());
      return std::move(prompt->ids);
    }
    return MessageIds(line, **assets);
  }

  Result<std::vector<int32_t>> GivenIds(const JsonReader& line) const {
    FATHOM_TRY(const JsonReader array, line.ArrayAt("ids"));
    const int64_t vocab = folder_.checkpoint.config().vocab;
    std::vector<int32_t> ids;
    for (const Json& id : array.value().as_array()) {
      if (!id.fits_int() || id.as_int() < 0 || id.as_int() >= vocab) {
        return array.At(ids.size()).Mismatch("", Format("a token id from 0 to {}", vocab - 1));
      }
      ids.push_back(static_cast<int32_t>(id.as_int()));
    }
    return ids;
  }

  Result<std::vector<int32_t>> MessageIds(const JsonReader& line, const TextAssets& assets) const {
    Json object = Json::MakeObject({{"messages", *line.value().Find("messages")}});
    if (line.Has("tools")) object.Set("tools", *line.value().Find("tools"));
    FATHOM_TRY(const Conversation conversation,
               ParseConversation(JsonReader(object, line.Where())));
    PromptOptions prompt_options;
    prompt_options.add_generation_prompt = false;
    prompt_options.parse_special = options_.parse_special;
    auto prompt = RenderPrompt(assets, conversation, prompt_options);
    if (!prompt.ok()) return Within(line.Where(), std::move(prompt).error());
    return std::move(prompt->ids);
  }

  Status CheckLength(const JsonReader& line, const std::vector<int32_t>& ids) const {
    const auto size = static_cast<int64_t>(ids.size());
    if (size >= 1 && size <= options_.max_model_len) return Ok();
    return BadInput(Format("the line has {} ids, expected 1 to {}", size, options_.max_model_len),
                    line.Where(), size > 0 ? "shorten it, or raise --max-model-len" : "");
  }

  const ModelFolder& folder_;
  const ScoreInputOptions& options_;
  std::map<std::string, int64_t> first_line_;
};

}  // namespace

Result<std::vector<ScoreItem>> ParseScoreInput(std::string_view text, const ModelFolder& folder,
                                               const ScoreInputOptions& options) {
  LineParser parser(folder, options);
  std::vector<ScoreItem> items;
  std::optional<Error> first;
  int64_t bad = 0;
  int64_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto item = parser.Parse(line, number);
    if (item.ok()) {
      items.push_back(std::move(item).value());
    } else if (++bad == 1) {
      first = std::move(item).error();
    }
  }
  if (bad > 1) first->what += Format(" (the first of {} bad lines)", bad);
  if (first) return *std::move(first);
  if (items.empty()) return BadInput("there is no line to score", options.source);
  return items;
}

}  // namespace fathom
