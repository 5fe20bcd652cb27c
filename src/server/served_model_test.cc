#include "server/served_model.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "api/generation_options.h"
#include "base/result.h"
#include "text/text_assets.h"
#include "text/tiny_tokenizer_testing.h"

namespace fathom {
namespace {

class ServedModelTest : public testing::Test {
 protected:
  const TextAssets text_ = TinyTextAssets();
  ServedModel model_{.names = {"m"}, .root = "", .text = text_, .defaults = {}, .eos_ids = {}};
};

// "maxSeqLen: prompt and answer together; maxInputTokenLen: longest prompt; maxIterTimes: tokens of
// an answer." (docs/formats/mindie-scheduling.md, 1.5)
TEST_F(ServedModelTest, AnswersAreAsLongAsTheLeastOfMindiesThreeLimits) {
  model_.max_model_len = 100;     // maxSeqLen
  model_.max_prompt_tokens = 90;  // maxInputTokenLen
  model_.max_answer_tokens = 60;  // maxIterTimes
  const struct {
    int64_t prompt;
    std::optional<int64_t> max_tokens;
    std::optional<int64_t> limit;
  } rows[] = {
      {10, 1000, 60},          // maxIterTimes
      {70, 1000, 30},          // maxSeqLen - input
      {10, 5, 5},              // max_tokens
      {10, std::nullopt, 60},  // nothing was asked for
      {90, std::nullopt, 10},  // the longest prompt
      {91, 5, std::nullopt},   // past maxInputTokenLen
  };
  for (const auto& row : rows) {
    GenerationOptions options;
    options.max_tokens = row.max_tokens;
    EXPECT_EQ(model_.AnswerLimit(options, row.prompt), row.limit) << row.prompt;
  }
}

TEST_F(ServedModelTest, APromptAsLongAsTheContextIsRefused) {
  model_.max_model_len = 100;
  EXPECT_EQ(model_.AnswerLimit({}, 99), 1);
  EXPECT_EQ(model_.AnswerLimit({}, 100), std::nullopt);
  EXPECT_EQ(model_.AnswerLimit({}, 101), std::nullopt);
}

TEST_F(ServedModelTest, WhatWasNotAskedForIsTheCheckpoints) {
  model_.max_model_len = 100;
  model_.defaults.max_new_tokens = 7;
  EXPECT_EQ(model_.AnswerLimit({}, 10), 7);
  EXPECT_EQ(model_.AnswerLimit({}, 95), 5);
}

// Of the tiny vocabulary "w", " w" and "hello" are tokens, " hello" is two.
TEST_F(ServedModelTest, BadWordsAreTokenizedAloneAndBehindASpace) {
  model_.vocab = kTinyVocab;
  EXPECT_EQ(model_.RulesFor({}).value(), nullptr);
  GenerationOptions options;
  options.bad_words = {"w", " hello", "ab"};
  const auto rules = model_.RulesFor(options).value();
  for (const int32_t id : {TinyByte('w'), kTinySpaceW, kTinyHello}) {
    EXPECT_FALSE(rules->mask().Allows(static_cast<size_t>(id))) << id;
  }
  for (const int32_t id : {TinyByte('a'), TinyByte('b'), TinyByte(' ')}) {
    EXPECT_TRUE(rules->mask().Allows(static_cast<size_t>(id))) << id;
  }
  EXPECT_EQ(rules->BadAfter(TinyBytes("xa")), TinyBytes("b"));
}

}  // namespace
}  // namespace fathom
