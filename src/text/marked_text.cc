#include "text/marked_text.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace fathom {

MarkedText::MarkedText(std::span<const TextSpan> spans) {
  for (const TextSpan& span : spans) Append(span.text, span.from_message);
}

bool MarkedText::HasMark(size_t begin, size_t end) const {
  return std::string_view(marks_).substr(begin, end - begin).find(kMarked) != std::string::npos;
}

void MarkedText::Append(const MarkedText& other) {
  text_ += other.text_;
  marks_ += other.marks_;
}

void MarkedText::Append(std::string_view text, bool from_message) {
  text_ += text;
  marks_.append(text.size(), from_message ? kMarked : kUnmarked);
}

MarkedText MarkedText::Slice(size_t begin, size_t end) const {
  FATHOM_CHECK(begin <= end && end <= size());
  MarkedText slice;
  slice.text_ = text_.substr(begin, end - begin);
  slice.marks_ = marks_.substr(begin, end - begin);
  return slice;
}

std::vector<TextSpan> MarkedText::Spans() const {
  std::vector<TextSpan> spans;
  for (size_t begin = 0; begin < size();) {
    const size_t change = marks_.find(marks_[begin] == kMarked ? kUnmarked : kMarked, begin);
    const size_t end = change == std::string::npos ? size() : change;
    spans.push_back({text_.substr(begin, end - begin), marks_[begin] == kMarked});
    begin = end;
  }
  return spans;
}

}  // namespace fathom
