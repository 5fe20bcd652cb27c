// A tokenizer.json from outside is refused with an error, or it makes a tokenizer that keeps its
// word: every text comes back, alone and in spans.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "text/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = fathom::Tokenizer::Parse({text, "", ""}, "");
  if (!tokenizer.ok()) {
    FATHOM_CHECK(!tokenizer.error().what.empty() && !tokenizer.error().where.empty());
    return 0;
  }
  const std::string_view sample = "Hello <think> world\xFF 123 \xE4\xB8\x96";
  const std::vector<int32_t> ids = tokenizer->Encode(sample, false).value();
  for (const int32_t id : ids) FATHOM_CHECK(id >= 0 && id < tokenizer->vocab_size());
  tokenizer->Decode(tokenizer->Encode(sample, true).value(), true);
  return 0;
}
