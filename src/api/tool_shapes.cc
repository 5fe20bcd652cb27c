#include "api/tool_shapes.h"

#include <cstddef>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

// The function of a tool or of a call of one.
Result<JsonReader> FunctionOf(const JsonReader& tool) {
  if (!tool.value().is_object()) return tool.Mismatch("", "an object with \"function\"");
  FATHOM_TRY(const std::string type, tool.StringOr("type", "function"));
  if (type != "function") return tool.Mismatch("type", "\"function\"");
  FATHOM_TRY(JsonReader function, tool.Object("function"));
  FATHOM_TRY([[maybe_unused]] const std::string name, function.String("name"));
  return function;
}

Status CheckTool(const JsonReader& tool) {
  FATHOM_TRY(const JsonReader function, FunctionOf(tool));
  FATHOM_TRY([[maybe_unused]] const std::string text, function.StringOr("description", ""));
  if (!function.Has("parameters")) return Ok();
  FATHOM_TRY([[maybe_unused]] const JsonReader parameters, function.Object("parameters"));
  return Ok();
}

Status CheckCall(const JsonReader& call) {
  FATHOM_TRY(const JsonReader function, FunctionOf(call));
  FATHOM_TRY([[maybe_unused]] const std::string id, call.StringOr("id", ""));
  const Json* arguments = function.value().Find("arguments");
  const bool good = arguments == nullptr || arguments->is_null() || arguments->is_string() ||
                    arguments->is_object();
  return good ? Ok() : Status(function.Mismatch("arguments", "a text or an object"));
}

Status CheckEach(const JsonReader& list, Status (*check)(const JsonReader&)) {
  if (!list.value().is_array()) return list.Mismatch("", "a list");
  for (size_t i = 0; i < list.value().as_array().size(); ++i) FATHOM_OK(check(list.At(i)));
  return Ok();
}

}  // namespace

Status CheckTools(const JsonReader& tools) { return CheckEach(tools, CheckTool); }
Status CheckToolCalls(const JsonReader& calls) { return CheckEach(calls, CheckCall); }

}  // namespace fathom
