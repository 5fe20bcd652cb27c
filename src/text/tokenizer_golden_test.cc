// DeepSeek's real tokenizer against ids that its own tokenizer gave. It is not part of this
// repository: FATHOM_TOKENIZER_DIR names the folder with its tokenizer.json.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "text/detokenizer.h"
#include "text/golden_testing.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

using Ids = std::vector<int32_t>;

class TokenizerGolden : public testing::Test {
 protected:
  void SetUp() override {
    files_ = TokenizerFilesFromEnvironment("FATHOM_TOKENIZER_DIR");
    if (!files_.has_value()) {
      GTEST_SKIP() << "FATHOM_TOKENIZER_DIR is not set: DeepSeek-V3's tokenizer.json is needed "
                      "(scripts/test fetches it)";
    }
    ASSERT_FALSE(files_->tokenizer_json.empty());
  }
  Tokenizer V3() const { return ParseOrDie(*files_); }
  Tokenizer R1() const { return ParseOrDie(MakeR1Files(*files_)); }

 private:
  std::optional<TokenizerFiles> files_;
};

// What a stream of tokens shows, piece by piece, put together.
std::string Streamed(const Tokenizer& tokenizer, const Ids& ids, bool skip_special) {
  Detokenizer detokenizer(tokenizer, skip_special);
  std::string text;
  for (const int32_t id : ids) text += detokenizer.Push(id);
  return text + detokenizer.Finish();
}

TEST_F(TokenizerGolden, EncodesAndDecodesEveryCase) {
  const Tokenizer tokenizer = V3();
  const Json golden = ReadGoldenJson("encode_decode.json");
  ASSERT_EQ(golden.Find("cases")->as_array().size(), 40U);
  for (const Json& item : golden.Find("cases")->as_array()) {
    const std::string& text = item.Find("text")->as_string();
    SCOPED_TRACE(text);
    const Ids ids = IdsOf(*item.Find("ids"));
    EXPECT_EQ(tokenizer.Encode(text, /*parse_special=*/true).value(), ids);
    EXPECT_EQ(tokenizer.Decode(ids, false), item.Find("decoded")->as_string());
    EXPECT_EQ(tokenizer.Decode(ids, true), item.Find("decoded_skip_special")->as_string());
    EXPECT_EQ(Streamed(tokenizer, ids, false), item.Find("decoded")->as_string());
    EXPECT_EQ(Streamed(tokenizer, ids, true), item.Find("decoded_skip_special")->as_string());
  }
}

TEST_F(TokenizerGolden, R1DiffersWhereItsThinkTokensStand) {
  const Tokenizer tokenizer = R1();
  const Json golden = ReadGoldenJson("encode_decode.json");
  int differing = 0;
  for (const Json& item : golden.Find("cases")->as_array()) {
    const Json* r1_ids = item.Find("ids_r1");
    differing += r1_ids != nullptr ? 1 : 0;
    const Ids ids = IdsOf(r1_ids != nullptr ? *r1_ids : *item.Find("ids"));
    EXPECT_EQ(tokenizer.Encode(item.Find("text")->as_string(), true).value(), ids);
    EXPECT_EQ(tokenizer.Decode(ids, false), item.Find("decoded")->as_string());
  }
  EXPECT_EQ(differing, 1);
  EXPECT_EQ(tokenizer.TokenId("<think>"), 128798);
  EXPECT_EQ(tokenizer.Decode(Ids{128798, 128799}, /*skip_special=*/true), "<think></think>");
}

TEST_F(TokenizerGolden, DecodesIdsThatCutCharacters) {
  const Tokenizer tokenizer = V3();
  const Json golden = ReadGoldenJson("encode_decode.json");
  for (const Json& item : golden.Find("decode_only")->as_array()) {
    const Ids ids = IdsOf(*item.Find("ids"));
    EXPECT_EQ(tokenizer.Decode(ids, false), item.Find("decoded")->as_string());
    EXPECT_EQ(tokenizer.Decode(ids, true), item.Find("decoded_skip_special")->as_string());
    EXPECT_EQ(Streamed(tokenizer, ids, false), item.Find("decoded")->as_string());
    for (size_t length = 1; length <= ids.size(); ++length) {
      const Ids prefix(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(length));
      EXPECT_EQ(tokenizer.Decode(prefix, false),
                item.Find("prefix_decodes")->as_array()[length - 1].as_string());
    }
  }
}

TEST_F(TokenizerGolden, KnowsWhatTheConfigSays) {
  const Tokenizer tokenizer = V3();
  const Json golden = ReadGoldenJson("encode_decode.json");
  EXPECT_EQ(tokenizer.bos_id(), golden.Find("meta")->Find("bos_token_id")->as_int());
  EXPECT_EQ(tokenizer.eos_id(), golden.Find("meta")->Find("eos_token_id")->as_int());
  EXPECT_EQ(tokenizer.bos_token(), "<｜begin▁of▁sentence｜>");
  EXPECT_EQ(tokenizer.eos_token(), "<｜end▁of▁sentence｜>");
  EXPECT_TRUE(tokenizer.add_bos());
  EXPECT_EQ(tokenizer.vocab_size(), 128815);
  EXPECT_TRUE(tokenizer.chat_template().ok());
}

}  // namespace
}  // namespace fathom
