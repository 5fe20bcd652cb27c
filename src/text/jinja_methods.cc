#include "text/jinja_methods.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "text/jinja_arguments.h"
#include "text/jinja_budget.h"
#include "text/jinja_error.h"
#include "text/jinja_filters.h"
#include "text/jinja_strings.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"
#include "text/unicode_letters.h"
#include "text/utf8.h"

namespace fathom::jinja {
namespace {

enum class Type { kString, kDict, kList, kNumber };

struct Method {
  Type type;
  std::string_view name;
  Signature signature;
  Result<Value> (*run)(const Value& object, const Values& arguments, Budget& budget);
};

template <Side side>
Result<Value> StripText(const Value& object, const Values& arguments, Budget& /*budget*/) {
  FATHOM_TRY(const MarkedText* set, TextOrNull(arguments[0]));
  const auto characters = set == nullptr ? std::nullopt : std::optional(set->text());
  return Value::String(Strip(*object.string(), side, characters));
}

Result<Value> ListOfTexts(std::vector<MarkedText> texts, Budget& budget) {
  FATHOM_OK(budget.Steps(static_cast<int64_t>(texts.size())));
  Values items;
  for (MarkedText& text : texts) items.push_back(Value::String(std::move(text)));
  return Value::List(std::move(items));
}

template <bool from_right>
Result<Value> SplitText(const Value& object, const Values& arguments, Budget& budget) {
  FATHOM_TRY(const MarkedText* separator, TextOrNull(arguments[0]));
  SplitOptions options;
  if (separator != nullptr) options.separator = separator->text();
  FATHOM_TRY(options.most_splits, IntegerOr(arguments[1], -1));
  options.from_right = from_right;
  FATHOM_TRY(std::vector<MarkedText> pieces, Split(*object.string(), options));
  return ListOfTexts(std::move(pieces), budget);
}
Result<Value> SplitTextLines(const Value& object, const Values& arguments, Budget& budget) {
  return ListOfTexts(SplitLines(*object.string(), arguments[0].Truthy()), budget);
}

// startswith and endswith take one text or a tuple of them.
template <bool at_end>
Result<Value> HasAffix(const Value& object, const Values& arguments, Budget& budget) {
  const std::string& text = object.string()->text();
  Values affixes = {arguments[0]};
  if (const ListData* list = arguments[0].list(); list != nullptr && list->is_tuple) {
    affixes = list->items;
  }
  FATHOM_OK(budget.Steps(static_cast<int64_t>(affixes.size())));
  for (const Value& affix : affixes) {
    FATHOM_TRY(const MarkedText* wanted, RequiredText(affix));
    const bool has = at_end ? text.ends_with(wanted->text()) : text.starts_with(wanted->text());
    if (has) return Value::Bool(true);
  }
  return Value::Bool(false);
}

template <Case to>
Result<Value> TextInCase(const Value& object, const Values& /*arguments*/, Budget& /*budget*/) {
  return Value::String(ChangeCase(*object.string(), to));
}

Result<Value> ReplaceText(const Value& object, const Values& arguments, Budget& budget) {
  FATHOM_TRY(const MarkedText* from, RequiredText(arguments[0]));
  FATHOM_TRY(const MarkedText* to, RequiredText(arguments[1]));
  FATHOM_TRY(const int64_t most, IntegerOr(arguments[2], -1));
  FATHOM_TRY(MarkedText out, Replace(*object.string(), *from, *to, most, budget));
  return Value::String(std::move(out));
}

// A position in bytes as one in characters; -1 stays.
Value CharacterIndex(std::string_view text, size_t byte) {
  if (byte == std::string_view::npos) return Value::Int(-1);
  return Value::Int(CountCharacters(text.substr(0, byte)));
}
Result<Value> Find(const Value& object, const Values& arguments, Budget& /*budget*/) {
  FATHOM_TRY(const MarkedText* wanted, RequiredText(arguments[0]));
  const std::string& text = object.string()->text();
  return CharacterIndex(text, FindText(text, wanted->text(), 0));
}
Result<Value> FindLast(const Value& object, const Values& arguments, Budget& /*budget*/) {
  FATHOM_TRY(const MarkedText* wanted, RequiredText(arguments[0]));
  const std::string& text = object.string()->text();
  if (wanted->empty()) return CharacterIndex(text, text.size());
  const std::string reversed(text.rbegin(), text.rend());
  const std::string reversed_wanted(wanted->text().rbegin(), wanted->text().rend());
  const size_t found = FindText(reversed, reversed_wanted, 0);
  if (found == std::string::npos) return Value::Int(-1);
  return CharacterIndex(text, text.size() - found - wanted->size());
}

Result<Value> CountText(const Value& object, const Values& arguments, Budget& /*budget*/) {
  FATHOM_TRY(const MarkedText* wanted, RequiredText(arguments[0]));
  const std::string& text = object.string()->text();
  if (wanted->empty()) return Value::Int(CountCharacters(text) + 1);
  int64_t count = 0;
  for (size_t at = FindText(text, wanted->text(), 0); at != std::string::npos;
       at = FindText(text, wanted->text(), at + wanted->size())) {
    ++count;
  }
  return Value::Int(count);
}

Result<Value> JoinTexts(const Value& object, const Values& arguments, Budget& budget) {
  FATHOM_TRY(const auto list, Iterate(arguments[0], budget));
  MarkedText out;
  for (size_t i = 0; i < list->items.size(); ++i) {
    FATHOM_TRY(const MarkedText* item, RequiredText(list->items[i]));
    FATHOM_OK(budget.Bytes(item->size() + object.string()->size()));
    if (i > 0) out.Append(*object.string());
    out.Append(*item);
  }
  return Value::String(std::move(out));
}

// The empty text is no digit.
Result<Value> AreDigits(const Value& object, const Values& /*arguments*/, Budget& /*budget*/) {
  const std::string& text = object.string()->text();
  for (size_t at = 0; at < text.size();) {
    const CodePoint character = DecodeUtf8(text, at);
    if (!character.valid || !IsDigit(character.value)) return Value::Bool(false);
    at += character.length;
  }
  return Value::Bool(!text.empty());
}

Result<Value> DictItems(const Value& object, const Values& /*arguments*/, Budget& budget) {
  return RunFilter(*FindFilter("items"), object, {}, budget);
}
Result<Value> DictKeys(const Value& object, const Values& /*arguments*/, Budget& budget) {
  FATHOM_TRY(const auto keys, Iterate(object, budget));
  return Value::List(keys->items);
}
Result<Value> DictValues(const Value& object, const Values& /*arguments*/, Budget& budget) {
  FATHOM_OK(budget.Steps(static_cast<int64_t>(object.dict()->members.size())));
  Values values;
  for (const Member& member : object.dict()->members) values.push_back(member.value);
  return Value::List(std::move(values));
}
Result<Value> DictGet(const Value& object, const Values& arguments, Budget& budget) {
  FATHOM_OK(budget.Steps(static_cast<int64_t>(object.dict()->members.size() / 64)));
  const MarkedText* key = arguments[0].string();
  const Value* member = key == nullptr ? nullptr : FindMember(*object.dict(), key->text());
  if (member != nullptr) return *member;
  return arguments[1].is_undefined() ? Value() : arguments[1];
}

Result<Value> ListCount(const Value& object, const Values& arguments, Budget& budget) {
  int64_t count = 0;
  for (const Value& item : object.list()->items) {
    FATHOM_TRY(const bool equal, Equal(item, arguments[0], budget));
    count += equal ? 1 : 0;
  }
  return Value::Int(count);
}
Result<Value> ListIndex(const Value& object, const Values& arguments, Budget& budget) {
  const Values& items = object.list()->items;
  for (size_t i = 0; i < items.size(); ++i) {
    FATHOM_TRY(const bool equal, Equal(items[i], arguments[0], budget));
    if (equal) return Value::Int(static_cast<int64_t>(i));
  }
  return TemplateError("index: the value is not in the list");
}

constexpr Signature kNoArguments = {"", 0};
constexpr Method kMethods[] = {
    {Type::kString, "strip", {"chars", 0}, StripText<Side::kBoth>},
    {Type::kString, "lstrip", {"chars", 0}, StripText<Side::kLeft>},
    {Type::kString, "rstrip", {"chars", 0}, StripText<Side::kRight>},
    {Type::kString, "split", {"sep maxsplit", 0}, SplitText<false>},
    {Type::kString, "rsplit", {"sep maxsplit", 0}, SplitText<true>},
    {Type::kString, "splitlines", {"keepends", 0}, SplitTextLines},
    {Type::kString, "startswith", {"prefix", 1}, HasAffix<false>},
    {Type::kString, "endswith", {"suffix", 1}, HasAffix<true>},
    {Type::kString, "upper", kNoArguments, TextInCase<Case::kUpper>},
    {Type::kString, "lower", kNoArguments, TextInCase<Case::kLower>},
    {Type::kString, "title", kNoArguments, TextInCase<Case::kTitle>},
    {Type::kString, "capitalize", kNoArguments, TextInCase<Case::kCapital>},
    {Type::kString, "replace", {"old new count", 2}, ReplaceText},
    {Type::kString, "find", {"sub", 1}, Find},
    {Type::kString, "rfind", {"sub", 1}, FindLast},
    {Type::kString, "count", {"sub", 1}, CountText},
    {Type::kString, "join", {"iterable", 1}, JoinTexts},
    {Type::kString, "isdigit", kNoArguments, AreDigits},
    {Type::kDict, "items", kNoArguments, DictItems},
    {Type::kDict, "keys", kNoArguments, DictKeys},
    {Type::kDict, "values", kNoArguments, DictValues},
    {Type::kDict, "get", {"key default", 1}, DictGet},
    {Type::kList, "count", {"value", 1}, ListCount},
    {Type::kList, "index", {"value", 1}, ListIndex},
};

// What Python's types have besides, spaces between. `changing`: refused by the sandbox, which makes
// them undefined.
struct OtherAttributes {
  Type type;
  std::string_view unsupported, changing;
};
constexpr OtherAttributes kOtherAttributes[] = {
    {Type::kString,
     "casefold center encode expandtabs format format_map index isalnum isalpha isascii isdecimal "
     "isidentifier islower isnumeric isprintable isspace istitle isupper ljust maketrans partition "
     "removeprefix removesuffix rindex rjust rpartition swapcase translate zfill",
     ""},
    {Type::kDict, "copy fromkeys", "clear pop popitem setdefault update"},
    {Type::kList, "copy", "append clear extend insert pop remove reverse sort"},
    {Type::kNumber,
     "as_integer_ratio bit_count bit_length conjugate denominator from_bytes fromhex hex imag "
     "is_integer numerator real to_bytes",
     ""},
};

bool HasWord(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const bool begins = at == 0 || words[at - 1] == ' ';
    const size_t end = at + word.size();
    if (begins && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

bool IsOf(Type type, const Value& object) {
  switch (type) {
    case Type::kString:
      return object.is_string();
    case Type::kDict:
      return object.is_dict();
    case Type::kList:
      return object.is_list();
    default:
      return object.is_number();
  }
}

const Method* FindMethod(const Value& object, std::string_view name) {
  for (const Method& method : kMethods) {
    if (method.name == name && IsOf(method.type, object)) return &method;
  }
  return nullptr;
}

// loop.cycle('odd', 'even'): one after the other, a turn each.
Result<Value> Cycle(const LoopData& loop, const Arguments& arguments) {
  if (arguments.positional.empty() || !arguments.named.empty()) {
    return TemplateError("cycle needs the values to go through");
  }
  return arguments.positional[loop.index % arguments.positional.size()];
}

}  // namespace

Result<std::optional<Value>> BoundMethod(const Value& object, std::string_view name) {
  if (FindMethod(object, name) != nullptr || (object.loop() != nullptr && name == "cycle")) {
    return std::optional(Value::OfMethod(object, name));
  }
  for (const OtherAttributes& other : kOtherAttributes) {
    if (!IsOf(other.type, object)) continue;
    const std::string what =
        Format("method \"{}\" of {} is not supported", name, object.TypeName());
    if (HasWord(other.changing, name)) return std::optional(Value::MakeUndefined(what));
    if (HasWord(other.unsupported, name)) return TemplateError(what);
  }
  return std::optional<Value>();
}

Result<Value> CallMethod(const Value& object, std::string_view name, const Arguments& arguments,
                         Budget& budget) {
  if (const LoopData* loop = object.loop()) return Cycle(*loop, arguments);
  const Method* method = FindMethod(object, name);
  FATHOM_CHECK(method != nullptr);
  if (const MarkedText* text = object.string()) FATHOM_OK(budget.Bytes(text->size()));
  FATHOM_TRY(const Values bound, Bind(name, method->signature, arguments));
  return method->run(object, bound, budget);
}

}  // namespace fathom::jinja
