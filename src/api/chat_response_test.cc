#include "api/chat_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "api/chat_request.h"
#include "api/generation_options.h"
#include "api/reasoning_field.h"
#include "api/response.h"
#include "api/response_testing.h"
#include "base/json.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

using ::testing::ElementsAre;

const ResponseHead kHead = {"chatcmpl-1", 1700000000, "r1", "fp_1", {{0, 5}}};
const ChoiceEnd kStop = {"stop", {}};
const Usage kUsage = {5, 3, 2, 1};

// A chunk's text around "index":..., so that rows show what differs.
std::string Chunk(const std::string& choice, const std::string& after = "") {
  return R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"r1",)"
         R"("system_fingerprint":"fp_1","choices":[)" +
         choice + "]" + after + "}";
}

std::string Role(int choice = 0) {
  return "{\"index\":" + std::to_string(choice) +
         R"(,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null})";
}

std::string Delta(const std::string& delta, int choice = 0) {
  return "{\"index\":" + std::to_string(choice) + ",\"delta\":{" + delta +
         "},\"logprobs\":null,\"finish_reason\":null}";
}

class ChatResponse : public testing::Test {
 protected:
  ChatChunkWriter Writer(const ReplyOptions& options) { return {kHead, options, tokenizer_}; }

  Tokenizer tokenizer_ = ParseOrDie(TinyTokenizerFiles());
};

TEST_F(ChatResponse, StreamsRoleReasoningContentAndEnd) {
  ChatChunkWriter writer = Writer({});
  std::string out;
  writer.Token(0, {5}, {"", ""}, {}, out);
  writer.Token(0, {6}, {"I think", ""}, {}, out);
  writer.Token(0, {7}, {".", "So:\n\"x\""}, {}, out);
  writer.End(0, {"", "!"}, {"stop", "</s>"}, {}, out);
  writer.WholeUsage(kUsage, out);
  EXPECT_THAT(
      PayloadsOrDie(out),
      ElementsAre(Chunk(Role()), Chunk(Delta(R"("reasoning_content":"I think")")),
                  Chunk(Delta(R"("reasoning_content":".")")),
                  Chunk(Delta(R"("content":"So:\n\"x\"")")), Chunk(Delta(R"("content":"!")")),
                  Chunk(R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"stop",)"
                        R"("stop_reason":"</s>"})")));
}

TEST_F(ChatResponse, TheFirstTokenSendsTheRoleThoughItsTextWaits) {
  ChatChunkWriter writer = Writer({});
  std::string out;
  writer.Token(0, {5}, {}, {}, out);
  EXPECT_THAT(PayloadsOrDie(out), ElementsAre(Chunk(Role())));
  out.clear();
  writer.Token(0, {6}, {}, {}, out);
  EXPECT_EQ(out, "");
}

TEST_F(ChatResponse, AnAnswerWithoutTokensHasItsRoleAndItsEnd) {
  ChatChunkWriter writer = Writer({});
  std::string out;
  writer.End(0, {}, {"length", int64_t{17}}, {}, out);
  EXPECT_THAT(PayloadsOrDie(out),
              ElementsAre(Chunk(Role()), Chunk(R"({"index":0,"delta":{},"logprobs":null,)"
                                               R"("finish_reason":"length","stop_reason":17})")));
}

TEST_F(ChatResponse, UsageIsNullUntilTheLastChunkWhereItWasAskedFor) {
  ReplyOptions options;
  options.include_usage = true;
  ChatChunkWriter writer = Writer(options);
  std::string out;
  writer.Token(0, {5}, {"", "a"}, {}, out);
  writer.End(0, {}, kStop, {}, out);
  writer.WholeUsage(kUsage, out);
  const std::string null = ",\"usage\":null";
  EXPECT_THAT(
      PayloadsOrDie(out),
      ElementsAre(Chunk(Role(), null), Chunk(Delta(R"("content":"a")"), null),
                  Chunk(R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"stop",)"
                        R"("stop_reason":null})",
                        null),
                  Chunk("", R"(,"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8,)"
                            R"("prompt_tokens_details":{"cached_tokens":2},)"
                            R"("completion_tokens_details":{"reasoning_tokens":1},)"
                            R"("prompt_cache_hit_tokens":2,"prompt_cache_miss_tokens":3})")));
}

TEST_F(ChatResponse, UsageSoFarIsInEachChunkWhereItWasAskedFor) {
  GenerationOptions generation;
  generation.continuous_usage_stats = true;
  EXPECT_FALSE(ReplyOptionsFor(generation, {}).continuous_usage) << "only beside include_usage";
  generation.include_usage = true;
  ChatChunkWriter writer = Writer(ReplyOptionsFor(generation, {}));
  std::string out;
  writer.Token(0, {5}, {"", "a"}, {5, 1, 0, 0}, out);
  writer.Token(0, {5}, {"", "b"}, {5, 2, 0, 0}, out);
  std::vector<int64_t> counts;
  for (const std::string& payload : PayloadsOrDie(out)) {
    const Json chunk = ParseJson(payload, "chunk").value();
    counts.push_back(chunk.Find("usage")->Find("completion_tokens")->as_int());
  }
  EXPECT_THAT(counts, ElementsAre(1, 1, 2));
}

TEST_F(ChatResponse, ReasoningHasTheNamesThatTheServerGivesIt) {
  struct Row {
    ReasoningField field;
    std::vector<std::string> chunks;
  };
  const std::string content = Chunk(Delta(R"("content":"b")"));
  const std::vector<Row> rows = {
      {ReasoningField::kReasoningContent, {Chunk(Delta(R"("reasoning_content":"a")")), content}},
      {ReasoningField::kReasoning, {Chunk(Delta(R"("reasoning":"a")")), content}},
      {ReasoningField::kBoth,
       {Chunk(Delta(R"("reasoning_content":"a","reasoning":"a")")), content}},
      {ReasoningField::kHidden, {content}},
  };
  for (const Row& row : rows) {
    ReplyOptions options;
    options.reasoning = row.field;
    ChatChunkWriter writer = Writer(options);
    std::string role, out;
    writer.Token(0, {5}, {}, {}, role);
    writer.Token(0, {5}, {"a", "b"}, {}, out);
    EXPECT_EQ(PayloadsOrDie(out), row.chunks);
  }
}

TEST_F(ChatResponse, ChoicesBeginAndEndEachOnTheirOwn) {
  ReplyOptions options;
  options.n = 2;
  ChatChunkWriter writer = Writer(options);
  std::string out;
  writer.Token(1, {5}, {"", "b"}, {}, out);
  writer.Token(0, {5}, {"", "a"}, {}, out);
  writer.End(1, {}, kStop, {}, out);
  writer.Token(0, {5}, {"", "c"}, {}, out);
  EXPECT_THAT(PayloadsOrDie(out),
              ElementsAre(Chunk(Role(1)), Chunk(Delta(R"("content":"b")", 1)), Chunk(Role(0)),
                          Chunk(Delta(R"("content":"a")")),
                          Chunk(R"({"index":1,"delta":{},"logprobs":null,"finish_reason":"stop",)"
                                R"("stop_reason":null})"),
                          Chunk(Delta(R"("content":"c")"))));
}

// Token 5 is the byte 3, and so on: names and bytes below are those of ASCII and UTF-8.
TEST_F(ChatResponse, LogprobsOfTokensWhoseTextWaitsComeWithTheNextChunk) {
  ReplyOptions options;
  options.logprobs = true;
  ChatChunkWriter writer = Writer(options);
  std::string out;
  writer.Token(0, {kTinyThink, -0.25}, {}, {}, out);
  writer.Token(0, {TinyByte('a'), -0.5, {{TinyByte('a'), -0.5}, {TinyByte('\xe4'), -1.5}}},
               {"a", ""}, {}, out);
  writer.Token(0, {kTinyThinkEnd, -std::numeric_limits<double>::infinity()}, {}, {}, out);
  writer.End(0, {}, kStop, {}, out);
  const std::string first =
      R"({"content":[{"token":"<think>","logprob":-0.25,"bytes":[60,116,104,105,110,107,62],)"
      R"("top_logprobs":[]},{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[)"
      R"({"token":"a","logprob":-0.5,"bytes":[97]},)"
      "{\"token\":\"\uFFFD\",\"logprob\":-1.5,\"bytes\":[228]}]}]}";
  const std::string last =
      R"({"content":[{"token":"</think>","logprob":-9999,"bytes":[60,47,116,104,105,110,107,62],)"
      R"("top_logprobs":[]}]})";
  EXPECT_THAT(PayloadsOrDie(out),
              ElementsAre(Chunk(Role()),
                          Chunk(R"({"index":0,"delta":{"reasoning_content":"a"},"logprobs":)" +
                                first + R"(,"finish_reason":null})"),
                          Chunk(R"({"index":0,"delta":{},"logprobs":)" + last +
                                R"(,"finish_reason":"stop","stop_reason":null})")));
}

TEST_F(ChatResponse, IdsComeWhereTheyWereAskedFor) {
  ReplyOptions options;
  options.return_token_ids = true;
  ChatChunkWriter writer = Writer(options);
  std::string out;
  writer.Token(0, {7}, {}, {}, out);
  writer.Token(0, {8}, {"", "a"}, {}, out);
  writer.End(0, {}, kStop, {}, out);
  EXPECT_THAT(PayloadsOrDie(out),
              ElementsAre(Chunk(Role(), ",\"prompt_token_ids\":[0,5]"),
                          Chunk(R"({"index":0,"delta":{"content":"a"},"logprobs":null,)"
                                R"("finish_reason":null,"token_ids":[7,8]})"),
                          Chunk(R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"stop",)"
                                R"("stop_reason":null,"token_ids":[]})")));
}

TEST_F(ChatResponse, AChoiceEndsOnce) {
  ChatChunkWriter writer = Writer({});
  std::string out;
  writer.End(0, {}, kStop, {}, out);
  EXPECT_DEATH(writer.End(0, {}, kStop, {}, out), "ended");
  EXPECT_DEATH(writer.Token(0, {5}, {}, {}, out), "ended");
  EXPECT_DEATH(writer.Token(1, {5}, {}, {}, out), "index");
}

// The text of a body around its choices.
std::string Body(const std::string& choices, const std::string& after = "") {
  return R"({"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"r1",)"
         R"("system_fingerprint":"fp_1","choices":[)" +
         choices +
         R"(],"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8,)"
         R"("prompt_tokens_details":{"cached_tokens":2},)"
         R"("completion_tokens_details":{"reasoning_tokens":1},"prompt_cache_hit_tokens":2,)"
         R"("prompt_cache_miss_tokens":3})" +
         after + "}";
}

TEST_F(ChatResponse, WholeAnswersHaveAMessage) {
  struct Row {
    const char* name;
    ReasoningField field;
    FinishedChoice choice;
    std::string message;
  };
  const std::vector<Row> rows = {
      {"both",
       ReasoningField::kReasoningContent,
       {{"r", "t"}, false, {}, kStop},
       R"({"role":"assistant","content":"t","reasoning_content":"r"})"},
      {"the other name",
       ReasoningField::kReasoning,
       {{"r", "t"}, false, {}, kStop},
       R"({"role":"assistant","content":"t","reasoning":"r"})"},
      {"both names",
       ReasoningField::kBoth,
       {{"r", "t"}, false, {}, kStop},
       R"({"role":"assistant","content":"t","reasoning_content":"r","reasoning":"r"})"},
      {"hidden",
       ReasoningField::kHidden,
       {{"r", "t"}, false, {}, kStop},
       R"({"role":"assistant","content":"t"})"},
      {"inline",
       ReasoningField::kInline,
       {{"", "<think>\nr</think>t"}, false, {}, kStop},
       R"({"role":"assistant","content":"<think>\nr</think>t"})"},
      {"no reasoning",
       ReasoningField::kReasoningContent,
       {{"", "t"}, false, {}, kStop},
       R"({"role":"assistant","content":"t","reasoning_content":null})"},
      {"cut in the reasoning",
       ReasoningField::kReasoningContent,
       {{"r", ""}, true, {}, kStop},
       R"({"role":"assistant","content":null,"reasoning_content":"r"})"},
      {"an empty answer",
       ReasoningField::kReasoningContent,
       {{"", ""}, false, {}, kStop},
       R"({"role":"assistant","content":"","reasoning_content":null})"},
  };
  for (const Row& row : rows) {
    ReplyOptions options;
    options.reasoning = row.field;
    EXPECT_EQ(ChatResponseBody(kHead, options, tokenizer_, std::vector{row.choice}, kUsage),
              Body("{\"index\":0,\"message\":" + row.message +
                   R"(,"logprobs":null,"finish_reason":"stop","stop_reason":null})"))
        << row.name;
  }
}

TEST_F(ChatResponse, WholeAnswersHaveLogprobsAndIds) {
  ReplyOptions options;
  options.logprobs = true;
  options.return_token_ids = true;
  options.n = 2;
  const std::vector<FinishedChoice> choices = {
      {{"", "a"}, false, {{TinyByte('a'), -0.5}}, {"stop", "STOP"}},
      {{"", ""}, false, {}, {"length", {}}}};
  const std::string body = ChatResponseBody(kHead, options, tokenizer_, choices, kUsage);
  EXPECT_EQ(
      body,
      Body(
          R"({"index":0,"message":{"role":"assistant","content":"a","reasoning_content":null},)"
          R"("logprobs":{"content":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[]}]},)"
          R"("finish_reason":"stop","stop_reason":"STOP","token_ids":[99]},)"
          R"({"index":1,"message":{"role":"assistant","content":"","reasoning_content":null},)"
          R"("logprobs":{"content":[]},"finish_reason":"length","stop_reason":null,)"
          R"("token_ids":[]})",
          ",\"prompt_token_ids\":[0,5]"));
  EXPECT_TRUE(ParseJson(body, "body").ok());
}

TEST(ReasoningFields, AreChosenByTheServerAndTheRequest) {
  EXPECT_EQ(ParseReasoningField("reasoning_content").value(), ReasoningField::kReasoningContent);
  EXPECT_EQ(ParseReasoningField("reasoning").value(), ReasoningField::kReasoning);
  EXPECT_EQ(ParseReasoningField("both").value(), ReasoningField::kBoth);
  EXPECT_EQ(ParseReasoningField("inline").value(), ReasoningField::kInline);
  EXPECT_EQ(ParseReasoningField("hidden").error().ToString(),
            "error: --reasoning-field: 'hidden' is not known\n"
            "  fix: choose from: reasoning_content, reasoning, both, inline\n");
  const ReasoningField served = ReasoningField::kBoth;
  EXPECT_EQ(ReasoningFieldFor(ReasoningWish::kAsServed, served), ReasoningField::kBoth);
  EXPECT_EQ(ReasoningFieldFor(ReasoningWish::kHidden, served), ReasoningField::kHidden);
  EXPECT_EQ(ReasoningFieldFor(ReasoningWish::kInline, served), ReasoningField::kInline);
}

TEST(Events, ErrorsAndTheEndAreEventsToo) {
  EXPECT_EQ(ErrorEvent({500, "internal_error", "", "", "a\nb"}),
            R"(data: {"error":{"message":"a\nb","type":"internal_error","param":null,)"
            "\"code\":null}}\n\n");
  EXPECT_EQ(kDoneEvent, "data: [DONE]\n\n");
}

}  // namespace
}  // namespace fathom
