#include "api/input_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// The whole of `text` as a number.
template <typename T>
bool ParseNumber(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Templates join texts. What else they would do with a list of parts or a number depends on each of
// them: some write it as Python does, some leave it out.
Status CheckContent(const JsonReader& message) {
  const Json* content = message.value().Find("content");
  if (content != nullptr && content->is_string()) return Ok();
  const bool calls = message.Has("tool_calls");  // of tools, said instead of text
  if (calls && (content == nullptr || content->is_null())) return Ok();
  Error error = message.Mismatch("content", "text");
  error.fix = "give the content as one string; only a message with \"tool_calls\" may have none";
  return error;
}

constexpr std::array<std::string_view, 5> kRoles = {"system", "developer", "user", "assistant",
                                                    "tool"};

Status CheckMessages(const JsonReader& messages) {
  if (!messages.value().is_array()) return messages.Mismatch("", "a list of messages");
  if (messages.value().as_array().empty()) return messages.Mismatch("", "at least one message");
  for (size_t i = 0; i < messages.value().as_array().size(); ++i) {
    const JsonReader message = messages.At(i);
    if (!message.value().is_object()) return message.Mismatch("", "a message (an object)");
    FATHOM_TRY([[maybe_unused]] const std::string role, ReadRole(message));
    FATHOM_OK(CheckContent(message));
  }
  return Ok();
}

}  // namespace

Result<std::string> ReadRole(const JsonReader& message) {
  FATHOM_TRY(std::string role, message.String("role"));
  if (std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end()) return role;
  std::string known;
  for (const std::string_view name : kRoles)
    known += (known.empty() ? "" : ", ") + Format("{}", name);
  return message.Mismatch("role", "one of " + known);
}

const char* OwnVariableIn(const Json& arguments) {
  for (const char* name : {"messages", "tools", "add_generation_prompt"}) {
    if (arguments.Find(name) != nullptr) return name;
  }
  return nullptr;
}

Result<std::vector<int32_t>> ParseIds(std::string_view flag, std::string_view text) {
  std::vector<int32_t> ids;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view word = Trim(text.substr(at, comma - at));
    int32_t id = 0;
    if (!ParseNumber(word, id) || id < 0) {
      return BadInput(Format("{}: '{}' is not a token id", flag, word), "",
                      "give ids separated by commas, such as 0,17,42");
    }
    ids.push_back(id);
    at = comma + 1;
  }
  return ids;
}

Status CheckIds(std::string_view flag, std::span<const int32_t> ids, int64_t vocab) {
  for (const int32_t id : ids) {
    if (id < vocab) continue;
    return BadInput(Format("{}: {} is outside the vocabulary of {} ids", flag, id, vocab), "",
                    Format("give ids from 0 to {}", vocab - 1));
  }
  return Ok();
}

Result<std::pair<int32_t, double>> ParseLogitBias(std::string_view flag, std::string_view text) {
  const size_t colon = text.find(':');
  int32_t id = 0;
  double bias = 0;
  if (colon == std::string_view::npos || !ParseNumber(text.substr(0, colon), id) || id < 0 ||
      !ParseNumber(text.substr(colon + 1), bias) || !std::isfinite(bias)) {
    return BadInput(Format("{}: '{}' is not ID:BIAS", flag, text), "", "such as 42:-100");
  }
  return std::pair(id, bias);
}

Result<Json> ParseTemplateArguments(std::string_view flag, std::string_view text) {
  const JsonSource source(flag, "give a JSON object, such as {\"thinking\": true}");
  FATHOM_TRY(Json json, ParseJson(text, source));
  if (!json.is_object()) return JsonReader(json, source).Mismatch("", "an object");
  if (const char* taken = OwnVariableIn(json)) {
    return BadInput(Format("\"{}\" is not a variable to give: the template has its own", taken),
                    std::string(flag), "leave it out");
  }
  return json;
}

Result<Conversation> ParseConversation(const JsonReader& place) {
  if (place.value().is_array()) {
    FATHOM_OK(CheckMessages(place));
    return Conversation{place.value(), Json()};
  }
  if (!place.value().is_object()) {
    return place.Mismatch("", "a list of messages, or an object with \"messages\"");
  }
  for (const auto& [key, value] : place.value().as_object()) {
    if (key != "messages" && key != "tools") {
      return BadInput(Format("unknown member '{}'", key), place.Where(),
                      "only \"messages\" and \"tools\" are known");
    }
  }
  FATHOM_TRY(const JsonReader messages, place.ArrayAt("messages"));
  FATHOM_OK(CheckMessages(messages));
  Conversation conversation{messages.value(), Json()};
  if (place.Has("tools")) {
    FATHOM_TRY(const JsonReader tools, place.ArrayAt("tools"));
    conversation.tools = tools.value();
  }
  return conversation;
}

}  // namespace fathom
