#include "text/jinja_print.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_budget.h"
#include "text/jinja_error.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"
#include "text/unicode_letters.h"
#include "text/utf8.h"

namespace fathom::jinja {
namespace {

// "1.5e-07" -> digits "15" and the exponent of the first, -7.
struct Decimal {
  std::string digits;
  int exponent = 0;
};
Decimal ShortestDecimal(double magnitude) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude,
                                 std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  const size_t e = text.find('e');
  Decimal decimal;
  for (const char c : text.substr(0, e)) {
    if (c != '.') decimal.digits += c;
  }
  const size_t sign = text[e + 1] == '+' ? 1 : 0;
  std::from_chars(text.data() + e + 1 + sign, end.ptr, decimal.exponent);
  return decimal;
}

std::string WithExponent(const Decimal& decimal) {
  std::string text = decimal.digits.substr(0, 1);
  if (decimal.digits.size() > 1) text += "." + decimal.digits.substr(1);
  return text + Format("e{}{:02}", decimal.exponent < 0 ? "-" : "+", std::abs(decimal.exponent));
}

std::string WithoutExponent(Decimal decimal) {
  if (decimal.exponent < 0) {
    return "0." + std::string(static_cast<size_t>(-decimal.exponent - 1), '0') + decimal.digits;
  }
  const size_t whole = static_cast<size_t>(decimal.exponent) + 1;
  if (decimal.digits.size() < whole + 1) decimal.digits.resize(whole + 1, '0');
  return decimal.digits.substr(0, whole) + "." + decimal.digits.substr(whole);
}

// The text of a value that holds no others; nullopt for texts, lists and dicts.
std::optional<std::string> ScalarText(const Value& value) {
  if (value.is_none()) return "None";
  if (value.is_bool()) return value.Truthy() ? "True" : "False";
  if (const auto whole = value.integer()) return Format("{}", *whole);
  if (const auto large = value.large_integer()) return Format("{}", *large);
  if (value.is_float()) return FloatText(*value.number());
  return std::nullopt;
}

// Writes one value; `marked` is the mark of the punctuation around what it holds.
class Writer {
 public:
  explicit Writer(Budget& budget) : budget_(budget) {}
  Status Put(std::string_view text, bool marked) {
    FATHOM_OK(budget_.Bytes(text.size()));
    out_.Append(text, marked);
    return Ok();
  }
  Budget& budget() { return budget_; }
  MarkedText Take() { return std::move(out_); }

 private:
  Budget& budget_;
  MarkedText out_;
};

// Appends what `escape` makes of each character, with that character's mark.
template <typename Escape>
Status PutEscaped(const MarkedText& text, Writer& out, const Escape& escape) {
  const std::string_view bytes = text.text();
  for (size_t at = 0; at < bytes.size();) {
    const CodePoint character = DecodeUtf8(bytes, at);
    const std::string_view written = bytes.substr(at, character.length);
    FATHOM_OK(out.Put(escape(character.value, written), text.IsMarked(at)));
    at += character.length;
  }
  return Ok();
}

// What DecodeUtf8 gives for bytes that are not UTF-8, which stay as they are.
constexpr uint32_t kReplacement = 0xFFFD;

Status PutRepr(const Value& value, Writer& out);

// Python quotes with ' unless the text holds ' and no ".
Status PutQuoted(const MarkedText& text, Writer& out) {
  const bool has_single = text.text().find('\'') != std::string::npos;
  const bool has_double = text.text().find('"') != std::string::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  const bool marked = !text.empty() && text.IsMarked(0);
  FATHOM_OK(out.Put(std::string_view(&quote, 1), marked));
  const auto escape = [&](uint32_t value, std::string_view written) -> std::string {
    if (value == '\\' || value == static_cast<uint32_t>(quote)) return "\\" + std::string(written);
    if (value == '\n') return "\\n";
    if (value == '\r') return "\\r";
    if (value == '\t') return "\\t";
    if (value == kReplacement || IsPrintable(value)) return std::string(written);
    if (value < 0x100) return Format("\\x{:02x}", value);
    return value < 0x10000 ? Format("\\u{:04x}", value) : Format("\\U{:08x}", value);
  };
  FATHOM_OK(PutEscaped(text, out, escape));
  return out.Put(std::string_view(&quote, 1), marked);
}

Status PutListRepr(const ListData& list, bool marked, Writer& out) {
  FATHOM_OK(out.Put(list.is_tuple ? "(" : "[", marked));
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (i > 0) FATHOM_OK(out.Put(", ", marked));
    FATHOM_OK(PutRepr(list.items[i], out));
  }
  if (list.is_tuple && list.items.size() == 1) FATHOM_OK(out.Put(",", marked));
  return out.Put(list.is_tuple ? ")" : "]", marked);
}

Status PutDictRepr(const DictData& dict, bool marked, Writer& out) {
  FATHOM_OK(out.Put("{", marked));
  for (size_t i = 0; i < dict.members.size(); ++i) {
    if (i > 0) FATHOM_OK(out.Put(", ", marked));
    FATHOM_OK(PutQuoted(dict.members[i].key, out));
    FATHOM_OK(out.Put(": ", marked));
    FATHOM_OK(PutRepr(dict.members[i].value, out));
  }
  return out.Put("}", marked);
}

Status PutRepr(const Value& value, Writer& out) {
  FATHOM_OK(out.budget().Steps());
  const bool marked = value.from_message();
  if (const auto scalar = ScalarText(value)) return out.Put(*scalar, marked);
  if (const MarkedText* text = value.string()) return PutQuoted(*text, out);
  if (const ListData* list = value.list()) return PutListRepr(*list, marked, out);
  if (const DictData* dict = value.dict()) return PutDictRepr(*dict, marked, out);
  if (value.is_undefined()) return out.Put("Undefined", false);
  if (const MethodData* method = value.method()) {
    return TemplateError(Format("method \"{}\" of {} cannot be written: its call, (), is missing",
                                method->name, method->object.TypeName()));
  }
  return TemplateError(Format("a {} cannot be written", value.TypeName()));
}

// json.dumps writes what JSON does not have as JavaScript does.
std::string JsonNumber(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return FloatText(value);
}

class JsonWriter {
 public:
  JsonWriter(const JsonStyle& style, Budget& budget) : style_(style), out_(budget) {}

  Status PutValue(const Value& value) {
    FATHOM_OK(out_.budget().Steps());
    const bool marked = value.from_message();
    if (value.is_none()) return out_.Put("null", marked);
    if (value.is_bool()) return out_.Put(value.Truthy() ? "true" : "false", marked);
    if (value.is_float()) return out_.Put(JsonNumber(*value.number()), marked);
    if (const auto scalar = ScalarText(value)) return out_.Put(*scalar, marked);
    if (const MarkedText* text = value.string()) return PutString(*text);
    if (const ListData* list = value.list()) return PutList(*list, marked);
    if (const DictData* dict = value.dict()) return PutDict(*dict, marked);
    if (const std::string* what = value.undefined()) return TemplateError(*what);
    return TemplateError(Format("a {} cannot be written as JSON", value.TypeName()));
  }
  MarkedText Take() { return out_.Take(); }

 private:
  Status PutString(const MarkedText& text) {
    const bool marked = !text.empty() && text.IsMarked(0);
    FATHOM_OK(out_.Put("\"", marked));
    const auto escape = [this](uint32_t value, std::string_view written) {
      return Escaped(value, written);
    };
    FATHOM_OK(PutEscaped(text, out_, escape));
    return out_.Put("\"", marked);
  }

  std::string Escaped(uint32_t value, std::string_view written) const {
    switch (value) {
      case '"':
        return "\\\"";
      case '\\':
        return "\\\\";
      case '\n':
        return "\\n";
      case '\r':
        return "\\r";
      case '\t':
        return "\\t";
      case '\b':
        return "\\b";
      case '\f':
        return "\\f";
      default:
        break;
    }
    if (value < 0x20 || (style_.ascii && value > 0x7E && value < 0x10000)) {
      return Format("\\u{:04x}", value);
    }
    if (!style_.ascii || value < 0x7F) return std::string(written);
    return Format("\\u{:04x}\\u{:04x}", 0xD7C0 + (value >> 10), 0xDC00 + (value & 0x3FF));
  }

  // A separator and, when indenting, the next line's beginning.
  Status PutBreak(std::string_view separator, bool marked) {
    FATHOM_OK(out_.Put(separator, marked));
    if (!style_.indent.has_value()) return Ok();
    const int64_t spaces = std::clamp<int64_t>(*style_.indent, 0, 64) * depth_;
    return out_.Put("\n" + std::string(static_cast<size_t>(spaces), ' '), marked);
  }

  Status PutList(const ListData& list, bool marked) {
    if (list.items.empty()) return out_.Put("[]", marked);
    ++depth_;
    for (size_t i = 0; i < list.items.size(); ++i) {
      FATHOM_OK(PutBreak(i == 0 ? "[" : style_.item_separator, marked));
      FATHOM_OK(PutValue(list.items[i]));
    }
    --depth_;
    FATHOM_OK(PutBreak("", marked));
    return out_.Put("]", marked);
  }

  Status PutDict(const DictData& dict, bool marked) {
    if (dict.members.empty()) return out_.Put("{}", marked);
    std::vector<const Member*> members;
    members.reserve(dict.members.size());
    for (const Member& member : dict.members) members.push_back(&member);
    if (style_.sort_keys) {
      std::stable_sort(members.begin(), members.end(), [](const Member* a, const Member* b) {
        return a->key.text() < b->key.text();
      });
    }
    ++depth_;
    for (size_t i = 0; i < members.size(); ++i) {
      FATHOM_OK(PutBreak(i == 0 ? "{" : style_.item_separator, marked));
      FATHOM_OK(PutString(members[i]->key));
      FATHOM_OK(out_.Put(style_.key_separator, marked));
      FATHOM_OK(PutValue(members[i]->value));
    }
    --depth_;
    FATHOM_OK(PutBreak("", marked));
    return out_.Put("}", marked);
  }

  const JsonStyle& style_;
  Writer out_;
  int64_t depth_ = 0;
};

}  // namespace

std::string FloatText(double value) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  const Decimal decimal = ShortestDecimal(std::abs(value));
  const bool plain = decimal.exponent >= -4 && decimal.exponent < 16;  // Python's choice
  return sign + (plain ? WithoutExponent(decimal) : WithExponent(decimal));
}

Result<MarkedText> ToText(const Value& value, Budget& budget) {
  if (value.is_undefined()) return MarkedText();
  if (const MarkedText* text = value.string()) {
    FATHOM_OK(budget.Bytes(text->size()));
    return *text;
  }
  Writer out(budget);
  FATHOM_OK(PutRepr(value, out));
  return out.Take();
}

Result<MarkedText> ToJson(const Value& value, const JsonStyle& style, Budget& budget) {
  JsonWriter out(style, budget);
  FATHOM_OK(out.PutValue(value));
  return out.Take();
}

}  // namespace fathom::jinja
