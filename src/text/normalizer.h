#ifndef FATHOM_TEXT_NORMALIZER_H_
#define FATHOM_TEXT_NORMALIZER_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fathom {

// Text of which each byte knows whether it may become part of a control token (the template wrote
// it) or not (it came out of a message).
struct MarkedBytes {
  std::string text;
  std::vector<bool> plain;  // a byte each; true: never part of an added token
};

// The "normalizer" of tokenizer.json: none, or Unicode NFC.
class Normalizer {
 public:
  // `root` is the whole tokenizer.json. Supported: null, an empty Sequence, NFC, Sequences of them.
  static Result<Normalizer> Parse(const JsonReader& root);

  // NFC (Unicode 15, section 3.11), or the text itself. Bytes that are not UTF-8 stay as they are.
  // Linear but for sorting runs of combining marks.
  std::string Normalize(std::string_view text) const;
  // The same for marked text: what is composed of plain and other bytes is plain.
  MarkedBytes Normalize(MarkedBytes input) const;

  bool is_identity() const { return !nfc_; }

 private:
  Status Add(const JsonReader& step);

  bool nfc_ = false;
};

}  // namespace fathom

#endif  // FATHOM_TEXT_NORMALIZER_H_
