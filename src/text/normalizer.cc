#include "text/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/result.h"
#include "text/marked_text.h"
#include "text/utf8.h"

namespace fathom {
namespace {

// Code points below are in NFC, begin a new composition and are never its second part
// (DerivedNormalizationProps.txt, NFC_Quick_Check).
constexpr uint32_t kFirstThatCombines = 0x300;

uint8_t CombiningClass(int32_t code_point) {
  return static_cast<uint8_t>(utf8proc_get_property(code_point)->combining_class);
}

// utf8proc's own decomposition of a whole string sorts marks by insertion, which a long run of them
// makes quadratic.
void SortMarks(std::vector<int32_t>& code_points) {
  const auto is_mark = [](int32_t c) { return CombiningClass(c) != 0; };
  auto begin = std::find_if(code_points.begin(), code_points.end(), is_mark);
  while (begin != code_points.end()) {
    const auto end = std::find_if_not(begin, code_points.end(), is_mark);
    std::stable_sort(begin, end,
                     [](int32_t a, int32_t b) { return CombiningClass(a) < CombiningClass(b); });
    begin = std::find_if(end, code_points.end(), is_mark);
  }
}

std::string ComposeValid(std::string_view text) {
  std::vector<int32_t> code_points;
  for (size_t at = 0; at < text.size();) {
    const CodePoint code_point = DecodeUtf8(text, at);
    std::array<int32_t, 8> parts{};  // the longest canonical decomposition has 4
    int boundary = 0;
    const auto count = utf8proc_decompose_char(static_cast<int32_t>(code_point.value), parts.data(),
                                               parts.size(), UTF8PROC_DECOMPOSE, &boundary);
    FATHOM_CHECK(count >= 0 && static_cast<size_t>(count) <= parts.size());
    code_points.insert(code_points.end(), parts.begin(), parts.begin() + count);
    at += code_point.length;
  }
  SortMarks(code_points);
  const auto length = utf8proc_normalize_utf32(
      code_points.data(), static_cast<utf8proc_ssize_t>(code_points.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  FATHOM_CHECK(length >= 0);
  code_points.resize(static_cast<size_t>(length));
  std::string out;
  for (const int32_t code_point : code_points) AppendUtf8(static_cast<uint32_t>(code_point), out);
  return out;
}

// The end of the stretch at `begin` that normalises independently of what surrounds it; `composes`
// tells if normalising can change it.
size_t StretchEnd(std::string_view text, size_t begin, bool& composes) {
  composes = false;
  size_t at = begin;
  while (at < text.size()) {
    const CodePoint code_point = DecodeUtf8(text, at);
    if (!code_point.valid) return at == begin ? at + code_point.length : at;
    const bool combines = code_point.value >= kFirstThatCombines;
    if (at > begin && !combines) return at;
    composes = composes || combines;
    at += code_point.length;
  }
  return at;
}

}  // namespace

Result<Normalizer> Normalizer::Parse(const JsonReader& root) {
  Normalizer normalizer;
  if (!root.Has("normalizer")) return normalizer;
  FATHOM_TRY(const JsonReader step, root.Object("normalizer"));
  FATHOM_OK(normalizer.Add(step));
  return normalizer;
}

Status Normalizer::Add(const JsonReader& step) {
  FATHOM_TRY(const std::string type, step.String("type"));
  if (type == "NFC") {
    nfc_ = true;
    return Ok();
  }
  if (type != "Sequence") return step.Mismatch("type", "\"NFC\" or a \"Sequence\" of them");
  FATHOM_TRY(const JsonReader steps, step.ArrayAt("normalizers"));
  for (size_t i = 0; i < steps.value().as_array().size(); ++i) FATHOM_OK(Add(steps.At(i)));
  return Ok();
}

std::string Normalizer::Normalize(std::string_view text) const {
  if (!nfc_) return std::string(text);
  return Normalize(MarkedText(text, false)).text();
}

MarkedText Normalizer::Normalize(MarkedText input) const {
  if (!nfc_) return input;
  const std::string_view text = input.text();
  MarkedText out;
  for (size_t begin = 0; begin < text.size();) {
    bool composes = false;
    const size_t end = StretchEnd(text, begin, composes);
    const std::string_view stretch = text.substr(begin, end - begin);
    const std::string composed = composes ? ComposeValid(stretch) : std::string(stretch);
    if (composed == stretch) {
      out.Append(input.Slice(begin, end));
    } else {
      out.Append(composed, input.HasMark(begin, end));
    }
    begin = end;
  }
  return out;
}

}  // namespace fathom
