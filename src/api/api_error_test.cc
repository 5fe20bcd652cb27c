#include "api/api_error.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

struct Row {
  ApiError error;
  int status;
  std::string body;
};

TEST(ApiError, IsOpenAisErrorObject) {
  const std::vector<std::string> served = {"deepseek-r1", "r1"};
  const std::vector<std::string_view> paths = {"/health", "/models"};
  const std::vector<Row> rows = {
      {ContextTooLong(4096, 4096, "messages"), 400,
       R"({"error":{"message":"This model's maximum context length is 4096 tokens. However, your )"
       R"(prompt has 4096 tokens and leaves no room for an answer; shorten the prompt",)"
       R"("type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})"},
      {WrongKey(), 401,
       R"({"error":{"message":"the API key is missing or wrong; send the header Authorization: )"
       R"(Bearer KEY with a key of this server","type":"authentication_error","param":null,)"
       R"("code":"invalid_api_key"}})"},
      {ModelNotFound("gpt-4", served), 404,
       R"({"error":{"message":"the model 'gpt-4' does not exist; this server has: deepseek-r1, r1",)"
       R"("type":"NotFoundError","param":"model","code":"model_not_found"}})"},
      {PathNotFound("GET", "/v2", "", paths), 404,
       R"({"error":{"message":"there is nothing at GET /v2; this server has: /health, /models",)"
       R"("type":"NotFoundError","param":null,"code":"unknown_url"}})"},
      {PathNotFound("GET", "/model", "/models", paths), 404,
       R"({"error":{"message":"there is nothing at GET /model; the nearest path is /models",)"
       R"("type":"NotFoundError","param":null,"code":"unknown_url"}})"},
      {MethodNotAllowed("GET", "/v1/completions", "POST"), 405,
       R"({"error":{"message":"GET is not allowed for /v1/completions; use POST",)"
       R"("type":"invalid_request_error","param":null,"code":"method_not_allowed"}})"},
      {HttpError(413, "the body is too long"), 413,
       R"({"error":{"message":"the body is too long","type":"invalid_request_error",)"
       R"("param":null,"code":"request_too_large"}})"},
      {HttpError(400, "no Host"), 400,
       R"({"error":{"message":"no Host","type":"invalid_request_error","param":null,)"
       R"("code":"malformed_http"}})"},
      {HttpError(500, "given up"), 500,
       R"({"error":{"message":"given up","type":"internal_error","param":null,"code":null}})"},
      {TooManyAnswers(128, 65), 400,
       R"({"error":{"message":"the request asks for 128 answers (n, for each prompt) and this )"
       R"(server takes at most 65 at once; ask for fewer, or in several requests",)"
       R"("type":"invalid_request_error","param":null,"code":"too_many_answers"}})"},
      {AnswerTooLarge(2000, 1000), 400,
       R"({"error":{"message":"the answer may take 2000 bytes of memory (max_tokens, or what the )"
       R"(context leaves, of tokens with their log-probabilities or ids; 40 times a text that is )"
       R"(tokenized), of at most 1000; ask for )"
       R"(a smaller max_tokens, n or number of likely tokens, or a stream",)"
       R"("type":"invalid_request_error","param":null,"code":"answer_too_large"}})"},
      {NoRoomForAnswer(600, 1000), 503,
       R"({"error":{"message":"the answer may take 600 bytes of memory, and of 1000 for all )"
       R"(answers too few are free; try again in 5 s, or ask for a smaller max_tokens, n or number )"
       R"(of likely tokens, or a stream","type":"service_unavailable","param":null,)"
       R"("code":"overloaded"}})"},
      {TooManyUnprepared(1024, 3), 429,
       R"({"error":{"message":"1024 requests wait to be read and tokenized, as many as may; )"
       R"(try again in 3 s","type":"rate_limit_error","param":null,"code":"queue_full"}})"},
      {QueueFull(512, 512, 3), 429,
       R"({"error":{"message":"512 requests run or wait, of at most 512; try again in 3 s",)"
       R"("type":"rate_limit_error","param":null,"code":"queue_full"}})"},
      {NotReady("starting", ""), 503,
       R"({"error":{"message":"the server is starting; try again in 5 s",)"
       R"("type":"service_unavailable","param":null,"code":"starting"}})"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(row.error.status, row.status) << row.body;
    EXPECT_EQ(row.error.Body(), row.body);
  }
  EXPECT_EQ(QueueFull(1, 1, 3).retry_after_seconds, 3);
  for (const ApiError& unavailable : {NotReady("draining", ""), HttpError(503, "full"),
                                      FromError(Error("a", "", "b", ErrorKind::kInterrupted))}) {
    EXPECT_EQ(unavailable.retry_after_seconds, 5) << unavailable.code;
  }
  EXPECT_EQ(HttpError(408, "slow").retry_after_seconds, 0);
}

TEST(ApiError, SaysOfAnErrorWhereAndWhatToDo) {
  const std::vector<Row> rows = {
      {FromError(BadInput("expected a number", "request: /temperature", "correct it")), 400,
       R"({"error":{"message":"temperature: expected a number; correct it",)"
       R"("type":"invalid_request_error","param":"temperature","code":null}})"},
      {FromError(BadInput("expected a text", "request: /messages/12/content", "correct it")), 400,
       R"({"error":{"message":"messages[12].content: expected a text; correct it",)"
       R"("type":"invalid_request_error","param":"messages[12].content","code":null}})"},
      {FromError(BadInput("bad", "request: /chat_template_kwargs/a~1b~0c", "fix it")), 400,
       R"({"error":{"message":"chat_template_kwargs.a/b~c: bad; fix it",)"
       R"("type":"invalid_request_error","param":"chat_template_kwargs.a/b~c","code":null}})"},
      {FromError(BadInput("not valid JSON", "request", "correct it")), 400,
       R"({"error":{"message":"request: not valid JSON; correct it",)"
       R"("type":"invalid_request_error","param":null,"code":null}})"},
      {FromError(BadInput("no user message", "chat_template.jinja: line 3", "add one")), 400,
       R"({"error":{"message":"no user message; add one",)"
       R"("type":"invalid_request_error","param":null,"code":null}})"},
      {FromError(BadInput("no user message", "/m/chat_template.jinja", "add one"), "messages"), 400,
       R"({"error":{"message":"messages: no user message; add one",)"
       R"("type":"invalid_request_error","param":"messages","code":null}})"},
      {FromError(BadInput("bad", "request: /stop", "fix it"), "messages"), 400,
       R"({"error":{"message":"stop: bad; fix it",)"
       R"("type":"invalid_request_error","param":"stop","code":null}})"},
      {FromError(BadInput("bad", "requests/template.jinja", "fix it")), 400,
       R"({"error":{"message":"bad; fix it","type":"invalid_request_error","param":null,)"
       R"("code":null}})"},
      {FromError(BadInput("bad", "", "fix it")), 400,
       R"({"error":{"message":"bad; fix it","type":"invalid_request_error","param":null,)"
       R"("code":null}})"},
      {FromError(DoesNotFit("9 blocks of 4", "engine", "shorten it")), 400,
       R"({"error":{"message":"9 blocks of 4; shorten it","type":"invalid_request_error",)"
       R"("param":null,"code":"context_length_exceeded"}})"},
      {FromError(DoesNotFit("9 blocks of 4", "", "shorten it"), "prompt[1]"), 400,
       R"({"error":{"message":"9 blocks of 4; shorten it","type":"invalid_request_error",)"
       R"("param":"prompt[1]","code":"context_length_exceeded"}})"},
      {FromError(Failed("a logit is NaN", "/models/r1", "report it")), 500,
       R"({"error":{"message":"a logit is NaN; report it","type":"internal_error","param":null,)"
       R"("code":null}})"},
      {FromError(Error("stopped", "", "ask again", ErrorKind::kInterrupted)), 503,
       R"({"error":{"message":"stopped; ask again","type":"service_unavailable","param":null,)"
       R"("code":"draining"}})"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(row.error.status, row.status) << row.body;
    EXPECT_EQ(row.error.Body(), row.body);
  }
}

TEST(ApiError, TheLogHasTheServersPlacesAndNoTextOfTheClient) {
  struct LogRow {
    Error error;
    std::string log_message;
  };
  const std::string untold = "what is wrong quotes the request: its client was told";
  const Json body = Json::MakeObject({{"stop", Json::MakeArray()}, {"n", "my secret"}});
  const JsonReader request(body, RequestSource());
  const std::vector<LogRow> rows = {
      {request.Int("n", 1, 128).error(), "expected an integer from 1 to 128, found string"},
      {ParseJson("{\"prompt\": my secret}", RequestSource()).error(),
       "not valid JSON at line 1, column 12: syntax error while parsing value - invalid literal"},
      {ParseJson("{\"my secret\": 1, \"my secret\": 2}", RequestSource()).error(),
       "key stands twice in one object"},
      {BadInput("my secret", "request: /stop", "fix it"), untold},
      {BadInput("my secret", "/m/tokenizer_config.json: line 1", "fix it"),
       "/m/tokenizer_config.json: line 1: " + untold},
      {QuotesNothing(BadInput("too long", "/m/tokenizer.json", "fix it")),
       "/m/tokenizer.json: too long"},
      {Failed("a logit is NaN", "/models/r1", "report it"),
       "/models/r1: a logit is NaN; report it"},
      {DoesNotFit("9 blocks of 4", "engine", "shorten it"), ""},
  };
  for (const LogRow& row : rows) {
    EXPECT_EQ(FromError(row.error).log_message, row.log_message) << row.error.ToString();
  }
}

// A template may raise a text of any length.
TEST(ApiError, WhatFailedIsCut) {
  const ApiError error = FromError(BadInput(std::string(1 << 20, 'x'), "", "fix it"));
  EXPECT_EQ(error.message, std::string(1000, 'x') + "...; fix it");
}

// A client's own text comes back in errors: however long or wrong it is, the body stays small JSON.
TEST(ApiError, AClientsOwnTextIsCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 1000; ++i) name += "好\"";
  const std::vector<std::string> served = {"m"};
  const std::string body = ModelNotFound(name, served).Body();
  EXPECT_LT(body.size(), 400u);
  const Json json = ParseJson(body, "body").value();
  const std::string& message = json.Find("error")->Find("message")->as_string();
  EXPECT_TRUE(message.starts_with("the model '好\"好")) << message;
}

}  // namespace
}  // namespace fathom
