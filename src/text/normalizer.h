#ifndef FATHOM_TEXT_NORMALIZER_H_
#define FATHOM_TEXT_NORMALIZER_H_

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "text/marked_text.h"

namespace fathom {

// The "normalizer" of tokenizer.json: none, or Unicode NFC.
class Normalizer {
 public:
  // `root` is the whole tokenizer.json. Supported: null, an empty Sequence, NFC, Sequences of them.
  static Result<Normalizer> Parse(const JsonReader& root);

  // Normalize returns every text as it is.
  bool is_identity() const { return !nfc_; }

  // NFC (Unicode 15, section 3.11), or the text itself. Bytes that are not UTF-8 stay as they are.
  // Linear but for sorting runs of combining marks.
  std::string Normalize(std::string_view text) const;
  // The same for marked text: what is composed of marked and other bytes is marked.
  MarkedText Normalize(MarkedText input) const;

 private:
  Status Add(const JsonReader& step);

  bool nfc_ = false;
};

}  // namespace fathom

#endif  // FATHOM_TEXT_NORMALIZER_H_
