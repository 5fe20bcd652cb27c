#include "spec/generation_config.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

Result<GenerationDefaults> Parse(std::string_view text) {
  return ParseGenerationConfig(*ParseJson(text, "test"), "generation_config.json", 151'936);
}

TEST(GenerationConfig, ReadsDeepseekR1) {
  const auto defaults = Parse(R"({
    "_from_model_config": true, "bos_token_id": 0, "eos_token_id": 1, "do_sample": true,
    "temperature": 0.6, "top_p": 0.95, "transformers_version": "4.39.3"})");
  ASSERT_TRUE(defaults.ok());
  EXPECT_EQ(defaults->sampling.temperature, 0.6);
  EXPECT_EQ(defaults->sampling.top_p, 0.95);
  EXPECT_FALSE(defaults->sampling.top_k);
  EXPECT_FALSE(defaults->sampling.repetition_penalty);
  EXPECT_EQ(defaults->eos_token_ids, std::vector<int64_t>{1});
}

TEST(GenerationConfig, ReadsQwen25) {
  const auto defaults = Parse(R"({
    "bos_token_id": 151643, "pad_token_id": 151643, "do_sample": true,
    "eos_token_id": [151645, 151643], "repetition_penalty": 1.05, "temperature": 0.7,
    "top_p": 0.8, "top_k": 20, "transformers_version": "4.37.0"})");
  ASSERT_TRUE(defaults.ok());
  EXPECT_EQ(defaults->sampling.repetition_penalty, 1.05);
  EXPECT_EQ(defaults->sampling.top_k, 20);
  EXPECT_EQ(defaults->eos_token_ids, (std::vector<int64_t>{151645, 151643}));
}

TEST(GenerationConfig, ReadsTheLengthAndAllOfSampling) {
  const auto defaults = Parse(R"({"max_new_tokens": 2048, "min_p": 0.05, "presence_penalty": 1.5,
                                  "frequency_penalty": -0.5, "top_p": 0})");
  ASSERT_TRUE(defaults.ok());
  EXPECT_EQ(defaults->max_new_tokens, 2048);
  EXPECT_EQ(defaults->sampling.min_p, 0.05);
  EXPECT_EQ(defaults->sampling.presence_penalty, 1.5);
  EXPECT_EQ(defaults->sampling.frequency_penalty, -0.5);
  EXPECT_EQ(defaults->sampling.top_p, 0);
  EXPECT_FALSE(Parse("{}")->max_new_tokens);
}

// Nothing uses it, and -1 is what some writers put for none.
TEST(GenerationConfig, TheFirstTokenIsOfNoMatter) {
  EXPECT_TRUE(Parse(R"({"bos_token_id": -1})").ok());
}

TEST(GenerationConfig, WithoutSamplingIsGreedy) {
  EXPECT_EQ(Parse(R"({"do_sample": false, "temperature": 0.6})")->sampling.temperature, 0);
  EXPECT_FALSE(Parse("{}")->sampling.temperature);
}

#define FATHOM_FETCH \
  "  fix: the file is damaged or was edited: fetch it again, or correct it there\n"
struct BadRow {
  const char* name;
  const char* text;
  const char* error;
};
class GenerationConfigErrors : public testing::TestWithParam<BadRow> {};

TEST_P(GenerationConfigErrors, NameValueAndLimits) {
  const auto defaults = Parse(GetParam().text);
  ASSERT_FALSE(defaults.ok());
  EXPECT_EQ(defaults.error().ToString(), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, GenerationConfigErrors,
    testing::Values(BadRow{"Temperature", R"({"temperature": -1})",
                           "error: expected a number from 0 to 100, found integer -1\n"
                           "  where: generation_config.json: /temperature\n" FATHOM_FETCH},
                    BadRow{"TopP", R"({"top_p": 1.5})",
                           "error: expected a number from 0 to 1, found number 1.5\n"
                           "  where: generation_config.json: /top_p\n" FATHOM_FETCH},
                    BadRow{"RepetitionPenalty", R"({"repetition_penalty": 0.001})",
                           "error: expected a number from 0.01 to 100, found number 0.001\n"
                           "  where: generation_config.json: /repetition_penalty\n" FATHOM_FETCH},
                    BadRow{"MaxNewTokens", R"({"max_new_tokens": 0})",
                           "error: expected an integer from 1 to 2147483647, found integer 0\n"
                           "  where: generation_config.json: /max_new_tokens\n" FATHOM_FETCH},
                    BadRow{"TopK", R"({"top_k": -1})",
                           "error: expected an integer from 0 to 2147483647, found integer -1\n"
                           "  where: generation_config.json: /top_k\n" FATHOM_FETCH},
                    BadRow{"DoSample", R"({"do_sample": 1})",
                           "error: expected true or false, found integer 1\n"
                           "  where: generation_config.json: /do_sample\n" FATHOM_FETCH},
                    BadRow{"Eos", R"({"eos_token_id": 151936})",
                           "error: expected an integer from 0 to 151935, found integer 151936\n"
                           "  where: generation_config.json: /eos_token_id\n" FATHOM_FETCH},
                    BadRow{"List", "[]",
                           "error: expected an object, found array []\n  where: "
                           "generation_config.json\n" FATHOM_FETCH}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace fathom
