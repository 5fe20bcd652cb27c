#include "text/jinja_globals.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_arguments.h"
#include "text/jinja_budget.h"
#include "text/jinja_date.h"
#include "text/jinja_error.h"
#include "text/jinja_print.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {
namespace {

constexpr int64_t kLongestRange = 100'000;  // as in Jinja's sandbox

}  // namespace

Status AddMember(const MarkedText& key, Value value, std::vector<Member>& members, Budget& budget) {
  FATHOM_OK(budget.Steps(static_cast<int64_t>(members.size())));
  for (Member& member : members) {
    if (member.key.text() != key.text()) continue;
    member.value = std::move(value);
    return Ok();
  }
  members.push_back({key, std::move(value)});
  return Ok();
}

Result<Value> Range(const Arguments& arguments, Budget& budget) {
  FATHOM_TRY(const Values bound, Bind("range", {"start stop step", 1}, arguments));
  const bool one = bound[1].is_undefined();
  FATHOM_TRY(const int64_t begin, IntegerOr(one ? Value::Int(0) : bound[0], 0));
  FATHOM_TRY(const int64_t end, IntegerOr(one ? bound[0] : bound[1], 0));
  FATHOM_TRY(const int64_t step, IntegerOr(bound[2], 1));
  if (step == 0) return TemplateError("range with step 0");
  Values items;
  for (int64_t at = begin; step > 0 ? at < end : at > end;) {
    if (static_cast<int64_t>(items.size()) == kLongestRange) {
      return TemplateError(Format("range has more than {} numbers", kLongestRange));
    }
    items.push_back(Value::Int(at));
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  FATHOM_OK(budget.Steps(static_cast<int64_t>(items.size())));
  return Value::List(std::move(items));
}

Result<Value> MakeDict(const Arguments& arguments, Budget& budget) {
  std::vector<Member> members;
  if (arguments.positional.size() > 1 ||
      (!arguments.positional.empty() && !arguments.positional[0].is_dict())) {
    return TemplateError("dict takes named arguments and at most one dict");
  }
  if (!arguments.positional.empty()) members = arguments.positional[0].dict()->members;
  FATHOM_OK(budget.Steps(static_cast<int64_t>(members.size())));
  for (const auto& [name, value] : arguments.named) {
    FATHOM_OK(AddMember(MarkedText(name, false), value, members, budget));
  }
  return Value::Dict(std::move(members));
}

Result<Value> RaiseException(const Arguments& arguments, Budget& budget) {
  FATHOM_TRY(const Values bound, Bind("raise_exception", {"message", 1}, arguments));
  FATHOM_TRY(const MarkedText message, ToText(bound[0], budget));
  // The template's author speaks: its text says what is wrong with the messages.
  return BadInput(message.text(), "",
                  "change the messages as the chat template asks, or give another template with "
                  "--chat-template FILE");
}

Result<Value> StrftimeNow(const Arguments& arguments, std::string_view date, Budget& budget) {
  FATHOM_TRY(const Values bound, Bind("strftime_now", {"format", 1}, arguments));
  FATHOM_TRY(const MarkedText* format, RequiredText(bound[0]));
  FATHOM_OK(budget.Bytes(format->size() * 10));  // no directive writes more
  FATHOM_TRY(const std::string text, FormatDate(format->text(), date));
  return Value::String(text);
}

}  // namespace fathom::jinja
