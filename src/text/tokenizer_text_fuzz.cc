// Any bytes through a small tokenizer: encoding keeps every byte, a stream of ids shows what
// decoding at once shows, and text out of messages never becomes a control token.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "text/byte_alphabet.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace {

using fathom::Json;

// The 256 bytes, two merges, and the added tokens <|a|> (300, special) and "ab" (301).
fathom::Tokenizer MakeTokenizer() {
  Json vocab = Json::MakeObject();
  for (int byte = 0; byte < 256; ++byte) {
    vocab.as_object().emplace_back(fathom::ByteCharacter(static_cast<uint8_t>(byte)), byte);
  }
  vocab.Set("th", 256);
  vocab.Set("the", 257);
  const Json bytes = Json::MakeObject({{"type", "ByteLevel"}, {"add_prefix_space", false}});
  const Json json = Json::MakeObject(
      {{"added_tokens",
        Json::Array{Json::MakeObject({{"id", 300}, {"content", "<|a|>"}, {"special", true}}),
                    Json::MakeObject({{"id", 301}, {"content", "ab"}, {"special", false}})}},
       {"pre_tokenizer", bytes},
       {"decoder", bytes},
       {"model", Json::MakeObject({{"type", "BPE"},
                                   {"vocab", std::move(vocab)},
                                   {"merges", Json::Array{"t h", "th e"}}})}});
  return fathom::Tokenizer::Parse({json.Dump(), "", ""}, "").value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fathom::Tokenizer tokenizer = MakeTokenizer();
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
  for (const int32_t id : plain) FATHOM_CHECK(id < 300);
  FATHOM_CHECK(plain == tokenizer.Encode(text, false).value());
  return 0;
}
