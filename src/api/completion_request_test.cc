#include "api/completion_request.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "api/generation_options.h"

namespace fathom {
namespace {

constexpr RequestLimits kLimits = {.vocab = 1000};
using Ids = std::vector<int32_t>;

CompletionRequest Parse(const std::string& body) {
  auto request = ParseCompletionRequest(body, kLimits);
  EXPECT_TRUE(request.ok()) << body << "\n" << (request.ok() ? "" : request.error().ToString());
  return request.ok() ? *std::move(request) : CompletionRequest();
}

TEST(CompletionRequest, TakesPromptsInFourForms) {
  const std::vector<std::pair<std::string, std::vector<CompletionPrompt>>> rows = {
      {R"("Once")", {"Once"}},
      {R"("")", {""}},
      {R"(["a","b"])", {"a", "b"}},
      {"[1,999]", {Ids{1, 999}}},
      {"[[1],[2,3]]", {Ids{1}, Ids{2, 3}}},
      {R"(["a",[2,3]])", {"a", Ids{2, 3}}},
      {"[1.0,999.0]", {Ids{1, 999}}},  // as pydantic reads a list[int]
      {"[[2,3.0]]", {Ids{2, 3}}},
  };
  for (const auto& [prompt, prompts] : rows) {
    EXPECT_EQ(Parse("{\"prompt\":" + prompt + "}").prompts, prompts) << prompt;
  }
}

// Six prompts of as many ids as DeepSeek-R1 has context for, 163840; the seventh is too many.
TEST(CompletionRequest, TakesManyLongPromptsOfIds) {
  std::string one = "[7";
  for (int i = 1; i < 163840; ++i) one += ",7";
  std::string body = "{\"prompt\":[" + one + "]";
  for (int i = 1; i < 6; ++i) body += "," + one + "]";
  EXPECT_EQ(Parse(body + "]}").prompts.size(), 6u);
  const auto refused = ParseCompletionRequest(body + "," + one + "]]}", kLimits);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(FromError(refused.error()).message,
            "prompt: more than 1,048,576 values; correct it and send the request again");
}

TEST(CompletionRequest, ReadsItsOwnFields) {
  const CompletionRequest request =
      Parse(R"({"prompt":"a","logprobs":5,"echo":false,"add_special_tokens":false,"max_tokens":3,
                "vendor":1})");
  EXPECT_EQ(request.generation.logprobs, 5);
  EXPECT_EQ(request.generation.max_tokens, 3);
  EXPECT_FALSE(request.add_special_tokens);
  EXPECT_EQ(request.generation.unknown_fields, (std::vector<std::string>{"vendor"}));
  EXPECT_TRUE(Parse(R"({"prompt":"a","echo":true})").echo);
  EXPECT_EQ(Parse(R"({"prompt":"a","logprobs":0})").generation.logprobs, 0);
  EXPECT_FALSE(Parse(R"({"prompt":"a"})").generation.logprobs.has_value());
}

TEST(CompletionRequest, NamesWhatIsWrong) {
  const std::string fix = "; correct it and send the request again";
  const std::string prompts = "a text, a list of texts, a list of ids, or a list of those";
  struct Row {
    std::string body, param, message;
  };
  const std::vector<Row> rows = {
      {"{}", "prompt", "prompt: expected " + prompts + ", found nothing" + fix},
      {R"({"prompt":7})", "prompt", "prompt: expected " + prompts + ", found integer 7" + fix},
      {R"({"prompt":[]})", "prompt", "prompt: expected at least one prompt, found array []" + fix},
      {R"({"prompt":[[]]})", "prompt[0]",
       "prompt[0]: expected at least one token id, found array []" + fix},
      {R"({"prompt":[1,-1]})", "prompt[1]",
       "prompt[1]: expected a token id from 0 to 999, found integer -1" + fix},
      {R"({"prompt":[1,1000]})", "prompt[1]",
       "prompt[1]: expected a token id from 0 to 999, found integer 1000" + fix},
      {R"({"prompt":[1.5]})", "prompt[0]",
       "prompt[0]: expected a token id from 0 to 999, found number 1.5" + fix},
      {R"({"prompt":[18446744073709551615]})", "prompt[0]",
       "prompt[0]: expected a token id from 0 to 999, found integer 18446744073709551615" + fix},
      {R"({"prompt":[[1],[2,1000]]})", "prompt[1][1]",
       "prompt[1][1]: expected a token id from 0 to 999, found integer 1000" + fix},
      {R"({"prompt":["a",1]})", "prompt[1]",
       "prompt[1]: expected a text or a list of token ids, found integer 1" + fix},
      {R"({"prompt":"a","logprobs":6})", "logprobs",
       "logprobs: expected an integer from 0 to 5, found integer 6" + fix},
      {R"({"prompt":"a","logprobs":true})", "logprobs",
       "logprobs: expected an integer from 0 to 5, found bool true" + fix},
      {R"({"prompt":"a","suffix":"b"})", "suffix",
       "suffix: 'suffix' is not supported; leave it out: the text is continued, not filled in"},
      {R"({"prompt":"a","echo":true,"logprobs":1})", "logprobs",
       "logprobs: 'logprobs' beside 'echo' is not supported; leave one of them out; fathom score "
       "gives those of a prompt"},
      {R"({"prompt":"a","response_format":{"type":"json_object"}})", "response_format",
       "response_format: 'response_format' is not supported; leave it out and ask for the format "
       "in words"},
  };
  for (const Row& row : rows) {
    const auto request = ParseCompletionRequest(row.body, kLimits);
    ASSERT_FALSE(request.ok()) << row.body;
    const ApiError error = FromError(request.error());
    EXPECT_EQ(error.param, row.param) << row.body;
    EXPECT_EQ(error.message, row.message) << row.body;
  }
  std::string many = "{\"prompt\":[\"\"";
  for (int i = 0; i < 1024; ++i) many += ",\"\"";
  EXPECT_EQ(FromError(ParseCompletionRequest(many + "]}", kLimits).error()).message,
            "prompt: 1025 prompts, expected at most 1024" + fix);
}

}  // namespace
}  // namespace fathom
