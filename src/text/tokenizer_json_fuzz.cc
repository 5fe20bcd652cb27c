// A tokenizer.json and, after a NUL, a tokenizer_config.json from outside are refused with an
// error, or they make a tokenizer that keeps its word: every text comes back, alone and in spans.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/result.h"
#include "text/marked_text.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

using Ids = std::vector<int32_t>;

// One that is also an entry of the vocabulary comes back as its own text, also where the entry's
// bytes are others ("Ġ" for a space).
bool IsEntry(const Json& token, const Json& vocab) {
  const Json* content = token.Find("content");
  return content != nullptr && content->is_string() && vocab.Find(content->as_string()) != nullptr;
}

// What tokenizer.h excepts from texts coming back whole.
bool KeepsTexts(const TokenizerFiles& files) {
  const Json json = ParseJson(files.tokenizer_json, "").value();
  if (const Json* normalizer = json.Find("normalizer"); normalizer && !normalizer->is_null()) {
    return false;
  }
  const Json& vocab = *json.Find("model")->Find("vocab");
  if (const Json* added = json.Find("added_tokens"); added && added->is_array()) {
    for (const Json& token : added->as_array()) {
      if (IsEntry(token, vocab)) return false;
    }
  }
  if (files.tokenizer_config.empty()) return true;
  const Json config = ParseJson(files.tokenizer_config, "").value();
  if (const Json* added = config.Find("added_tokens_decoder"); added && added->is_object()) {
    for (const auto& [id, token] : added->as_object()) {
      if (IsEntry(token, vocab)) return false;
    }
  }
  return true;
}

void CheckIds(const Tokenizer& tokenizer, const Ids& ids) {
  for (const int32_t id : ids) FATHOM_CHECK(id >= 0 && id < tokenizer.vocab_size());
}

void CheckTokenizer(const Tokenizer& tokenizer, bool keeps_texts) {
  const std::string sample = "Hello <think> world\xFF 123 \xE4\xB8\x96\n\n e\xCC\x81";
  const std::vector<TextSpan> spans = {{sample.substr(0, 9), true}, {sample.substr(9), true}};
  const Result<Ids> plain = tokenizer.Encode(sample, false);
  const Result<Ids> parsed = tokenizer.Encode(sample, true);
  const Result<Ids> spanned = tokenizer.Encode(spans);
  if (!plain.ok() || !parsed.ok() || !spanned.ok()) return;  // a pattern gave up
  CheckIds(tokenizer, *plain);
  CheckIds(tokenizer, *parsed);
  FATHOM_CHECK(*spanned == *plain);
  if (keeps_texts) FATHOM_CHECK(tokenizer.DecodeBytes(*plain, false) == sample);
  FATHOM_CHECK(tokenizer.Decode(*parsed, true).size() <= tokenizer.Decode(*parsed, false).size());
}

void Check(std::string_view input) {
  const size_t end = std::min(input.find('\0'), input.size());
  const TokenizerFiles files = {std::string(input.substr(0, end)),
                                std::string(input.substr(std::min(end + 1, input.size()))), ""};
  const auto tokenizer = Tokenizer::Parse(files, "");
  if (tokenizer.ok()) {
    CheckTokenizer(*tokenizer, KeepsTexts(files));
  } else {
    FATHOM_CHECK(!tokenizer.error().what.empty() && !tokenizer.error().where.empty());
  }
}

}  // namespace
}  // namespace fathom

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fathom::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
