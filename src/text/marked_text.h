#ifndef FATHOM_TEXT_MARKED_TEXT_H_
#define FATHOM_TEXT_MARKED_TEXT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// A piece of a prompt. Only pieces that the template wrote may become control tokens; what came out
// of a message is encoded as plain text.
struct TextSpan {
  std::string text;
  bool from_message = false;
};

// Text of which each byte knows whether it came out of a message. The marks follow the bytes
// through everything that a template does to them and that normalising changes, up to the search
// for control tokens.
class MarkedText {
 public:
  MarkedText() = default;
  MarkedText(std::string_view text, bool from_message)
      : text_(text), marks_(text.size(), from_message ? kMarked : kUnmarked) {}
  explicit MarkedText(std::span<const TextSpan> spans);

  const std::string& text() const { return text_; }
  size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }
  bool IsMarked(size_t at) const { return marks_[at] == kMarked; }
  // True if one of the bytes [begin, end) is marked.
  bool HasMark(size_t begin, size_t end) const;

  void Append(const MarkedText& other);
  void Append(std::string_view text, bool from_message);
  // The bytes [begin, end).
  MarkedText Slice(size_t begin, size_t end) const;
  // Cut where marks change; no empty spans.
  std::vector<TextSpan> Spans() const;

 private:
  static constexpr char kUnmarked = 0;
  static constexpr char kMarked = 1;

  std::string text_;
  std::string marks_;  // one for each byte of text_
};

}  // namespace fathom

#endif  // FATHOM_TEXT_MARKED_TEXT_H_
