#include "api/completion_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "api/response.h"
#include "api/response_testing.h"
#include "base/json.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

using ::testing::ElementsAre;

const ResponseHead kHead = {"cmpl-1", 1700000000, "r1", "", {{0, 5}, {6}}};
const ChoiceEnd kStop = {"stop", {}};
const Usage kUsage = {5, 3, 0, 0};
constexpr const char* kUsageText =
    R"(,"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8,)"
    R"("prompt_tokens_details":{"cached_tokens":0},)"
    R"("completion_tokens_details":{"reasoning_tokens":0},"prompt_cache_hit_tokens":0,)"
    R"("prompt_cache_miss_tokens":5})";

std::string Chunk(const std::string& choice, const std::string& after = "") {
  return R"({"id":"cmpl-1","object":"text_completion","created":1700000000,"model":"r1",)"
         R"("system_fingerprint":null,"choices":[)" +
         choice + "]" + after + "}";
}

std::string Text(int choice, const std::string& text) {
  return "{\"index\":" + std::to_string(choice) + ",\"text\":\"" + text +
         R"(","logprobs":null,"finish_reason":null})";
}

class CompletionResponse : public testing::Test {
 protected:
  Tokenizer tokenizer_ = ParseOrDie(TinyTokenizerFiles());
};

TEST_F(CompletionResponse, StreamsTextAndEndOfEachChoice) {
  ReplyOptions options;
  options.include_usage = true;
  CompletionChunkWriter writer(kHead, options, 2, tokenizer_);
  std::string out;
  writer.Token(0, {5}, "", {}, out);
  writer.Token(0, {5}, "a", {}, out);
  writer.Token(1, {5}, "b\n", {}, out);
  writer.End(1, "!", {"length", {}}, {}, out);
  writer.End(0, "", kStop, {}, out);
  writer.WholeUsage(kUsage, out);
  const std::string null = ",\"usage\":null";
  EXPECT_THAT(PayloadsOrDie(out),
              ElementsAre(Chunk(Text(0, "a"), null), Chunk(Text(1, "b\\n"), null),
                          Chunk(R"({"index":1,"text":"!","logprobs":null,"finish_reason":"length",)"
                                R"("stop_reason":null})",
                                null),
                          Chunk(R"({"index":0,"text":"","logprobs":null,"finish_reason":"stop",)"
                                R"("stop_reason":null})",
                                null),
                          Chunk("", kUsageText)));
}

TEST_F(CompletionResponse, OffsetsGoOnFromChunkToChunk) {
  ReplyOptions options;
  options.logprobs = true;
  CompletionChunkWriter writer(kHead, options, 1, tokenizer_);
  std::string out;
  writer.Token(0, {kTinyHello, -0.5, {{kTinyHello, -0.5}, {kTinyHe, -2}}}, "hello", {}, out);
  // The first two bytes of a character, then its last.
  writer.Token(0, {kTinyFirstPiece + 9, -1}, "", {}, out);
  writer.Token(0, {TinyByte('\xa0'), -2}, "你", {}, out);
  writer.Token(0, {TinyByte('x'), -3}, "x", {}, out);
  writer.End(0, "", kStop, {}, out);
  const auto choice = [](const std::string& text, const std::string& logprobs) {
    return Chunk("{\"index\":0,\"text\":\"" + text + "\",\"logprobs\":" + logprobs +
                 ",\"finish_reason\":null}");
  };
  EXPECT_THAT(
      PayloadsOrDie(out),
      ElementsAre(
          choice("hello", R"({"tokens":["hello"],"token_logprobs":[-0.5],)"
                          R"("top_logprobs":[{"hello":-0.5,"he":-2}],"text_offset":[0]})"),
          choice("你", R"({"tokens":["bytes:\\xe4\\xbd","bytes:\\xa0"],"token_logprobs":[-1,-2],)"
                       R"("top_logprobs":[{},{}],"text_offset":[5,6]})"),
          choice("x", R"({"tokens":["x"],"token_logprobs":[-3],"top_logprobs":[{}],)"
                      R"("text_offset":[6]})"),
          Chunk(R"({"index":0,"text":"","logprobs":null,"finish_reason":"stop",)"
                R"("stop_reason":null})")));
}

TEST_F(CompletionResponse, IdsArePerPrompt) {
  ReplyOptions options;
  options.return_token_ids = true;
  options.n = 2;
  CompletionChunkWriter writer(kHead, options, 4, tokenizer_);
  std::string out;
  writer.Token(3, {7}, "a", {}, out);
  writer.Token(3, {8}, "b", {}, out);
  EXPECT_THAT(PayloadsOrDie(out),
              ElementsAre(Chunk(R"({"index":3,"text":"a","logprobs":null,"finish_reason":null,)"
                                R"("token_ids":[7],"prompt_token_ids":[6]})"),
                          Chunk(R"({"index":3,"text":"b","logprobs":null,"finish_reason":null,)"
                                R"("token_ids":[8]})")));
}

TEST_F(CompletionResponse, WholeAnswersHaveATextForEachChoice) {
  ReplyOptions options;
  options.return_token_ids = true;
  options.logprobs = true;
  const std::vector<FinishedChoice> choices = {
      {{"", "a"}, false, {{TinyByte('a'), -0.5}}, {"stop", int64_t{1}}},
      {{"", "\xff"}, false, {}, {"length", {}}}};
  const std::string body = CompletionResponseBody(kHead, options, tokenizer_, choices, kUsage);
  EXPECT_EQ(body,
            Chunk(R"({"index":0,"text":"a","logprobs":{"tokens":["a"],"token_logprobs":[-0.5],)"
                  R"("top_logprobs":[{}],"text_offset":[0]},"finish_reason":"stop",)"
                  R"("stop_reason":1,"token_ids":[99],"prompt_token_ids":[0,5]},)"
                  "{\"index\":1,\"text\":\"\uFFFD\",\"logprobs\":{\"tokens\":[],"
                  R"("token_logprobs":[],"top_logprobs":[],"text_offset":[]},)"
                  R"("finish_reason":"length","stop_reason":null,"token_ids":[],)"
                  R"("prompt_token_ids":[6]})",
                  kUsageText));
  EXPECT_TRUE(ParseJson(body, "body").ok());
}

TEST_F(CompletionResponse, IdsThatStandForNothingShareAName) {
  ReplyOptions options;
  options.logprobs = true;
  CompletionChunkWriter writer(kHead, options, 1, tokenizer_);
  std::string out;
  writer.Token(0, {5, -1, {{kTinyVocab, -1}, {kTinyVocab + 1, -2}}}, "x", {}, out);
  const std::vector<std::string> payloads = PayloadsOrDie(out);
  EXPECT_NE(payloads.at(0).find(R"("top_logprobs":[{"":-1}])"), std::string::npos)
      << payloads.at(0);
}

TEST_F(CompletionResponse, AChoiceEndsOnce) {
  CompletionChunkWriter writer(kHead, {}, 1, tokenizer_);
  std::string out;
  writer.End(0, "", kStop, {}, out);
  EXPECT_DEATH(writer.End(0, "", kStop, {}, out), "ended");
}

}  // namespace
}  // namespace fathom
