#include "text/jinja_arguments.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_error.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {
namespace {

std::vector<std::string_view> ParameterNames(std::string_view parameters) {
  std::vector<std::string_view> names;
  while (!parameters.empty()) {
    const size_t end = std::min(parameters.find(' '), parameters.size());
    names.push_back(parameters.substr(0, end));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return names;
}

}  // namespace

Result<Values> Bind(std::string_view callable, const Signature& signature,
                    const Arguments& arguments) {
  const std::vector<std::string_view> names = ParameterNames(signature.parameters);
  if (arguments.positional.size() > names.size()) {
    return TemplateError(Format("{} takes at most {} arguments, found {}", callable, names.size(),
                                arguments.positional.size()));
  }
  Values bound = arguments.positional;
  std::vector<bool> given(names.size(), false);
  std::fill_n(given.begin(), bound.size(), true);
  bound.resize(names.size(), Value::MakeUndefined("argument is not given"));
  for (const auto& [name, value] : arguments.named) {
    const auto place = std::find(names.begin(), names.end(), name);
    const auto index = static_cast<size_t>(place - names.begin());
    if (place == names.end() || given[index]) {
      return TemplateError(Format("{} {} argument \"{}\"", callable,
                                  place == names.end() ? "has no" : "is twice given the", name));
    }
    bound[index] = value;
    given[index] = true;
  }
  for (size_t i = 0; i < signature.required; ++i) {
    if (!given[i]) return TemplateError(Format("{} needs its argument \"{}\"", callable, names[i]));
  }
  return bound;
}

Result<int64_t> IntegerOr(const Value& argument, int64_t fallback) {
  if (argument.is_undefined() || argument.is_none()) return fallback;
  const std::optional<int64_t> value = argument.integer();
  if (value.has_value()) return *value;
  return TemplateError(Format("expected an integer argument, found {}", argument.TypeName()));
}

Result<const MarkedText*> TextOrNull(const Value& argument) {
  if (argument.is_undefined() || argument.is_none()) return nullptr;
  return RequiredText(argument);
}

Result<const MarkedText*> RequiredText(const Value& argument) {
  if (argument.is_string()) return argument.string();
  return TemplateError(Format("expected a string argument, found {}", argument.TypeName()));
}

}  // namespace fathom::jinja
