#ifndef FATHOM_TEXT_DETOKENIZER_H_
#define FATHOM_TEXT_DETOKENIZER_H_

#include <cstdint>
#include <string>

#include "text/tokenizer.h"

namespace fathom {

// Turns a stream of ids into text without ever cutting a UTF-8 character. The tokenizer must
// outlive it.
class Detokenizer {
 public:
  Detokenizer(const Tokenizer& tokenizer, bool skip_special);
  // The characters completed by `id`; bytes of an unfinished character wait for the next.
  std::string Push(int32_t id);
  // What is left at the end; an unfinished character becomes U+FFFD.
  std::string Finish();

 private:
  const Tokenizer* tokenizer_;
  bool skip_special_;
  std::string pending_;
};

}  // namespace fathom

#endif  // FATHOM_TEXT_DETOKENIZER_H_
