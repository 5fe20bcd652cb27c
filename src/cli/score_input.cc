#include "cli/score_input.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/input_text.h"
#include "api/prompt.h"
#include "api/score_line.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "cli/model_folder.h"
#include "text/text_assets.h"

namespace fathom {
namespace {

class LineParser {
 public:
  LineParser(const ModelFolder& folder, const ScoreInputOptions& options)
      : folder_(folder), options_(options) {}

  Result<ScoreItem> Parse(std::string_view text, int64_t number) {
    const std::string where = Format("{}: line {}", options_.source, number);
    FATHOM_TRY(ScoreLine line, ParseScoreLine(text, where, folder_.checkpoint.config().vocab));
    FATHOM_OK(CheckId(line.id, where, number));
    Result<std::vector<int32_t>> ids = Ids(line);
    if (!ids.ok()) return Within(where, std::move(ids).error());
    FATHOM_OK(CheckLength(*ids, where));
    return ScoreItem{std::move(line.id), *std::move(ids)};
  }

 private:
  Status CheckId(const std::string& id, const std::string& where, int64_t number) {
    const auto [at, is_new] = first_line_.emplace(id, number);
    if (is_new) return Ok();
    return BadInput(Format("id '{}' stands in line {} already", id, at->second), where,
                    "each line needs an id of its own");
  }

  Result<std::vector<int32_t>> Ids(const ScoreLine& line) const {
    if (const auto* ids = std::get_if<std::vector<int32_t>>(&line.input)) return *ids;
    const auto* text = std::get_if<std::string>(&line.input);
    FATHOM_TRY(const TextAssets* assets,
               NeedText(folder_, text != nullptr ? "\"text\"" : "\"messages\""));
    if (text != nullptr) {
      FATHOM_TRY(Prompt prompt,
                 RawPrompt(*assets, *text, {.parse_special = options_.parse_special}));
      return std::move(prompt.ids);
    }
    PromptOptions prompt_options;
    prompt_options.add_generation_prompt = false;
    prompt_options.parse_special = options_.parse_special;
    prompt_options.date = LocalDate();
    FATHOM_TRY(Prompt prompt,
               RenderPrompt(*assets, std::get<Conversation>(line.input), prompt_options));
    return std::move(prompt.ids);
  }

  Status CheckLength(const std::vector<int32_t>& ids, const std::string& where) const {
    const auto size = static_cast<int64_t>(ids.size());
    const int64_t most = options_.length.max_model_len;
    if (size >= 1 && size <= most) return Ok();
    return BadInput(Format("the line has {} ids, expected 1 to {}", size, most), where,
                    size > 0 ? options_.length.Fix() : "leave the line out");
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
  if (items.empty()) {
    return BadInput("there is no line to score", options.source,
                    "give lines such as {\"id\": \"a\", \"text\": \"Hello\"}");
  }
  return items;
}

}  // namespace fathom
