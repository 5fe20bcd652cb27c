// Any bytes through a small tokenizer: encoding keeps every byte, a stream of ids shows what
// decoding at once shows, and text out of messages never becomes a control token.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "text/detokenizer.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fathom::Tokenizer tokenizer = fathom::ParseOrDie(fathom::TinyTokenizerFiles());
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const bool parse_special : {false, true}) {
    const std::vector<int32_t> ids = tokenizer.Encode(text, parse_special).value();
    FATHOM_CHECK(tokenizer.DecodeBytes(ids, false) == text);
    fathom::Detokenizer detokenizer(tokenizer, false);
    std::string streamed;
    for (const int32_t id : ids) streamed += detokenizer.Push(id);
    FATHOM_CHECK(streamed + detokenizer.Finish() == tokenizer.Decode(ids, false));
  }
  // The first byte says where a message begins and ends.
  const size_t cut = size == 0 ? 0 : data[0] % size;
  const std::vector<fathom::TextSpan> spans = {{text.substr(0, cut), true},
                                               {text.substr(cut), false}};
  FATHOM_CHECK(tokenizer.DecodeBytes(tokenizer.Encode(spans).value(), false) == text);
  const std::vector<fathom::TextSpan> all_message = {{text, true}};
  const std::vector<int32_t> plain = tokenizer.Encode(all_message).value();
  for (const int32_t id : plain) FATHOM_CHECK(!fathom::IsTinyControl(id));
  FATHOM_CHECK(plain == tokenizer.Encode(text, false).value());
  return 0;
}
