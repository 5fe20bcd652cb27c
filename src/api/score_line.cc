#include "api/score_line.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_reader.h"
#include "api/input_text.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"

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
    if (!known) {
      return BadInput(Format("unknown member '{}'", key), line.Where(),
                      "known: id, ids, text, messages, tools");
    }
  }
  if (found.size() != 1) {
    return BadInput(Format("expected exactly one of \"ids\", \"text\" and \"messages\", found {}",
                           found.size()),
                    line.Where(), "say once what is to be scored");
  }
  if (found[0] != "messages" && line.Has("tools")) {
    return line.Wrong("\"tools\" needs \"messages\"");
  }
  return found[0];
}

Result<Conversation> ReadMessages(const JsonReader& line) {
  Json object = Json::MakeObject({{"messages", *line.value().Find("messages")}});
  if (line.Has("tools")) object.Set("tools", *line.value().Find("tools"));
  return ParseConversation(JsonReader(object, line.Where()));
}

}  // namespace

Result<ScoreLine> ParseScoreLine(std::string_view text, const std::string& where, int64_t vocab) {
  FATHOM_TRY(const Json json, ParseJson(text, where));
  const JsonReader line(json, where);
  if (!json.is_object()) return line.Mismatch("", "an object");
  ScoreLine result;
  FATHOM_TRY(result.id, line.String("id"));
  if (!IsName(result.id)) {
    return line.Mismatch("id", "a name of 1 to 200 letters, digits, '.', '_' and '-'");
  }
  FATHOM_TRY(const std::string kind, Kind(line));
  if (kind == "ids") {
    FATHOM_TRY(const JsonReader ids, line.MemberAt("ids"));
    FATHOM_TRY(result.input, ReadIds(ids, vocab));
  } else if (kind == "text") {
    FATHOM_TRY(result.input, line.String("text"));
  } else {
    FATHOM_TRY(result.input, ReadMessages(line));
  }
  return result;
}

}  // namespace fathom
