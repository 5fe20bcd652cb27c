#include "api/chat_request.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "api/generation_options.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr RequestLimits kLimits = {.vocab = 1000};

// A chat of one message with these fields beside it.
std::string Body(std::string_view fields) {
  std::string body = R"({"messages":[{"role":"user","content":"Hi"}])";
  if (!fields.empty()) body += "," + std::string(fields);
  return body + "}";
}

ChatRequest Parse(std::string_view body) {
  auto request = ParseChatRequest(body, kLimits);
  EXPECT_TRUE(request.ok()) << body << "\n" << (request.ok() ? "" : request.error().ToString());
  return request.ok() ? *std::move(request) : ChatRequest();
}

struct Refused {
  std::string fields;  // beside a message; a whole body where it begins with '{', '[' ...
  std::string param;
  std::string message;
};

void ExpectRefused(const std::string& body, const Refused& row) {
  const auto request = ParseChatRequest(body, kLimits);
  ASSERT_FALSE(request.ok()) << body;
  const ApiError error = FromError(request.error());
  EXPECT_EQ(error.status, 400) << body;
  EXPECT_EQ(error.param, row.param) << body;
  EXPECT_EQ(error.message, row.message) << body;
}

TEST(ChatRequest, HasDefaults) {
  const ChatRequest request = Parse(Body(""));
  EXPECT_EQ(request.conversation.messages.Dump(), R"([{"role":"user","content":"Hi"}])");
  EXPECT_TRUE(request.conversation.tools.is_null());
  EXPECT_TRUE(request.add_generation_prompt);
  EXPECT_FALSE(request.continue_final_message);
  EXPECT_EQ(request.template_arguments.Dump(), "{}");
  EXPECT_EQ(request.reasoning, ReasoningWish::kAsServed);
  const GenerationOptions& generation = request.generation;
  EXPECT_EQ(generation.model, "");
  EXPECT_FALSE(generation.sampling.temperature.has_value());
  EXPECT_EQ(generation.n, 1);
  EXPECT_FALSE(generation.max_tokens.has_value());
  EXPECT_FALSE(generation.stream);
  EXPECT_FALSE(generation.logprobs.has_value());
  EXPECT_TRUE(generation.skip_special_tokens);
  EXPECT_TRUE(generation.unknown_fields.empty());
}

TEST(ChatRequest, ReadsEveryField) {
  const ChatRequest request = Parse(Body(
      R"("model":"r1","temperature":0.6,"top_p":0.95,"top_k":40,"min_p":0.05,
         "repetition_penalty":1.1,"presence_penalty":-2,"frequency_penalty":2,"seed":-5,
         "logit_bias":{"999":-100,"7":1.5},"allowed_token_ids":[1,2],"bad_words":["a","b c"],"n":128,"max_tokens":5,
         "max_completion_tokens":7,"min_tokens":6,"stop":["a","b"],"stop_token_ids":[3,999],
         "ignore_eos":true,"stream":true,
         "stream_options":{"include_usage":true,"continuous_usage_stats":true},"logprobs":true,
         "top_logprobs":20,"include_stop_str_in_output":true,"skip_special_tokens":false,
         "return_token_ids":true,"truncate_prompt_tokens":100,"priority":-3,"timeout":65535,
         "request_id":"a-1_b.c:d","add_generation_prompt":false,"include_reasoning":false)"));
  const GenerationOptions& generation = request.generation;
  EXPECT_EQ(generation.model, "r1");
  EXPECT_EQ(generation.sampling.temperature, 0.6);
  EXPECT_EQ(generation.sampling.top_p, 0.95);
  EXPECT_EQ(generation.sampling.top_k, 40);
  EXPECT_EQ(generation.sampling.min_p, 0.05);
  EXPECT_EQ(generation.sampling.repetition_penalty, 1.1);
  EXPECT_EQ(generation.sampling.presence_penalty, -2);
  EXPECT_EQ(generation.sampling.frequency_penalty, 2);
  EXPECT_EQ(generation.seed, -5);
  EXPECT_EQ(generation.logit_bias,
            (std::vector<std::pair<int32_t, double>>{{7, 1.5}, {999, -100}}));
  EXPECT_EQ(generation.allowed_token_ids, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(generation.bad_words, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(generation.n, 128);
  EXPECT_EQ(generation.max_tokens, 7) << "max_completion_tokens wins";
  EXPECT_EQ(generation.min_tokens, 6);
  EXPECT_EQ(generation.stop, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(generation.stop_token_ids, (std::vector<int32_t>{3, 999}));
  EXPECT_TRUE(generation.ignore_eos && generation.stream && generation.include_usage);
  EXPECT_TRUE(generation.continuous_usage_stats && generation.include_stop_str_in_output);
  EXPECT_EQ(generation.logprobs, 20);
  EXPECT_FALSE(generation.skip_special_tokens);
  EXPECT_TRUE(generation.return_token_ids);
  EXPECT_EQ(generation.truncate_prompt_tokens, 100);
  EXPECT_EQ(generation.priority, -3);
  EXPECT_EQ(generation.timeout_seconds, 65535);
  EXPECT_EQ(generation.request_id, "a-1_b.c:d");
  EXPECT_FALSE(request.add_generation_prompt);
  EXPECT_EQ(request.reasoning, ReasoningWish::kHidden);
  EXPECT_TRUE(generation.unknown_fields.empty());
}

TEST(ChatRequest, NullIsNotGiven) {
  const ChatRequest request = Parse(Body(
      R"("model":null,"temperature":null,"top_p":null,"n":null,"stop":null,"max_tokens":null,
         "logit_bias":null,"stream":null,"stream_options":null,"tools":null,"tool_choice":null,
         "response_format":null,"thinking":null,"chat_template_kwargs":null,"logprobs":null,
         "suffix_of_nobody":null,"reasoning_effort":null,"request_id":null)"));
  EXPECT_EQ(request.generation.n, 1);
  EXPECT_TRUE(request.generation.stop.empty());
  EXPECT_EQ(request.generation.unknown_fields, (std::vector<std::string>{"suffix_of_nobody"}));
}

TEST(ChatRequest, TakesWhatSaysNothing) {
  for (const char* fields :
       {R"("tools":[])", R"("tools":[{"function":{"name":"f"}}],"tool_choice":"none")",
        R"("length_penalty":1.0)", R"("length_penalty":1)", R"("tool_choice":"auto")",
        R"("response_format":{"type":"text"})", R"("suffix":"")", R"("structured_outputs":{})",
        R"("bad_words":[])", R"("best_of":1)", R"("echo":false)", R"("top_logprobs":0)",
        R"("max_tokens":100.0)", R"("stop":[])", R"("logit_bias":{})", R"("use_beam_search":false)",
        R"("user":7)", R"("parallel_tool_calls":true)"}) {
    Parse(Body(fields));
  }
  EXPECT_EQ(Parse(Body(R"("max_tokens":100.0)")).generation.max_tokens, 100);
  EXPECT_EQ(Parse(Body(R"("stop_token_ids":[3.0,4])")).generation.stop_token_ids,
            (std::vector<int32_t>{3, 4}));
  EXPECT_EQ(Parse(Body(R"("top_k":-1)")).generation.sampling.top_k, 0);
  EXPECT_EQ(Parse(Body(R"("stop":"x")")).generation.stop, (std::vector<std::string>{"x"}));
}

TEST(ChatRequest, RefusesWhatIsNoRequest) {
  const std::string fix = "; correct it and send the request again";
  const std::vector<Refused> rows = {
      {"", "", "request: the body is empty, expected a JSON object; send the fields as JSON"},
      {"[]", "", "request: expected an object, found array []" + fix},
      {"{}", "messages", "messages: expected a list of messages, found nothing" + fix},
      {R"({"messages":null})", "messages",
       "messages: expected a list of messages, found null" + fix},
      {R"({"messages":[],"messages":[]})", "messages",
       "messages: key \"messages\" stands twice in one object" + fix},
      {R"({"messages":[{"role":"user","content":1e999}]})", "messages[0].content",
       "messages[0].content: number overflow parsing '1e999'" + fix},
      {R"({"messages":[{"role":"user","content":"a)", "",
       "request: not valid JSON at line 1, column 41: syntax error while parsing value - invalid "
       "string: missing closing quote; last read: '\"a'" +
           fix},
  };
  for (const Refused& row : rows) ExpectRefused(row.fields, row);
}

TEST(ChatRequest, RefusesWrongTypesAndRangesByName) {
  const std::string fix = "; correct it and send the request again";
  const std::vector<Refused> rows = {
      {R"("temperature":"hot")", "temperature",
       "temperature: expected a number from 0 to 2, found string \"hot\"" + fix},
      {R"("temperature":-0.1)", "temperature",
       "temperature: expected a number from 0 to 2, found number -0.1" + fix},
      {R"("temperature":2.01)", "temperature",
       "temperature: expected a number from 0 to 2, found number 2.01" + fix},
      {R"("top_p":0)", "top_p",
       "top_p: expected a number above 0, at most 1, found integer 0" + fix},
      {R"("top_k":-2)", "top_k",
       "top_k: expected an integer from -1 to 2147483647, found integer -2" + fix},
      {R"("top_k":1.5)", "top_k",
       "top_k: expected an integer from -1 to 2147483647, found number 1.5" + fix},
      {R"("min_p":1.5)", "min_p", "min_p: expected a number from 0 to 1, found number 1.5" + fix},
      {R"("repetition_penalty":0)", "repetition_penalty",
       "repetition_penalty: expected a number from 0.01 to 100, found integer 0" + fix},
      {R"("presence_penalty":3)", "presence_penalty",
       "presence_penalty: expected a number from -2 to 2, found integer 3" + fix},
      {R"("frequency_penalty":-3)", "frequency_penalty",
       "frequency_penalty: expected a number from -2 to 2, found integer -3" + fix},
      {R"("seed":18446744073709551615)", "seed",
       "seed: expected a 64-bit integer, found integer 18446744073709551615" + fix},
      {R"("n":0)", "n", "n: expected an integer from 1 to 128, found integer 0" + fix},
      {R"("n":129)", "n", "n: expected an integer from 1 to 128, found integer 129" + fix},
      {R"("max_tokens":-5)", "max_tokens",
       "max_tokens: expected an integer from 1 to 2147483647, found integer -5" + fix},
      {R"("max_tokens":1e300)", "max_tokens",
       "max_tokens: expected an integer from 1 to 2147483647, found number 1e+300" + fix},
      {R"("max_completion_tokens":0)", "max_completion_tokens",
       "max_completion_tokens: expected an integer from 1 to 2147483647, found integer 0" + fix},
      {R"("max_tokens":5,"min_tokens":6)", "min_tokens",
       "min_tokens: expected at most max_tokens, 5, found integer 6" + fix},
      {R"("length_penalty":0.9)", "length_penalty",
       "length_penalty: expected 1, as only beam search knows others, found number 0.9" + fix},
      {R"("tools":[{}],"tool_choice":"none")", "tools[0]",
       "tools[0]: key \"function\" is missing" + fix},
      {R"("stream":"yes")", "stream", "stream: expected true or false, found string \"yes\"" + fix},
      {R"("stream":1)", "stream", "stream: expected true or false, found integer 1" + fix},
      {R"("stream_options":[])", "stream_options",
       "stream_options: expected an object, found array []" + fix},
      {R"("stream_options":{"include_usage":1})", "stream_options.include_usage",
       "stream_options.include_usage: expected true or false, found integer 1" + fix},
      {R"("stop":"")", "stop",
       "stop: expected a text of 1 to 1024 bytes, or up to 16 of them, found string \"\"" + fix},
      {R"("stop":["a",""])", "stop[1]",
       "stop[1]: expected a text of 1 to 1024 bytes, found string \"\"" + fix},
      {R"("stop":["a",7])", "stop[1]",
       "stop[1]: expected a text of 1 to 1024 bytes, found integer 7" + fix},
      {R"("stop":["","","","","","","","","","","","","","","","",""])", "stop",
       "stop: expected a text of 1 to 1024 bytes, or up to 16 of them, found array "
       "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"]" +
           fix},
      {R"("stop_token_ids":[1,1000])", "stop_token_ids[1]",
       "stop_token_ids[1]: expected a token id from 0 to 999, found integer 1000" + fix},
      {R"("stop_token_ids":7)", "stop_token_ids",
       "stop_token_ids: expected a list of token ids, found integer 7" + fix},
      {R"("allowed_token_ids":[-1])", "allowed_token_ids[0]",
       "allowed_token_ids[0]: expected a token id from 0 to 999, found integer -1" + fix},
      {R"("bad_words":"x")", "bad_words",
       "bad_words: expected a list of texts, found string \"x\"" + fix},
      {R"("bad_words":["x"," "])", "bad_words[1]",
       "bad_words[1]: expected a text of 1 to 1024 bytes that is not blank, found string \" \"" +
           fix},
      {R"("logit_bias":[])", "logit_bias",
       "logit_bias: expected an object of token ids and numbers, such as {\"42\": -100}, found "
       "array []" +
           fix},
      {R"("logit_bias":{"1000":1})", "logit_bias[1000]",
       "logit_bias[1000]: the key is not a token id from 0 to 999" + fix},
      {R"("logit_bias":{"-1":1})", "logit_bias.-1",
       "logit_bias.-1: the key is not a token id from 0 to 999" + fix},
      {R"("logit_bias":{"hello":1})", "logit_bias.hello",
       "logit_bias.hello: the key is not a token id from 0 to 999" + fix},
      {R"("logit_bias":{"7":101})", "logit_bias[7]",
       "logit_bias[7]: expected a number from -100 to 100, found integer 101" + fix},
      {R"("logit_bias":{"7":"x"})", "logit_bias[7]",
       "logit_bias[7]: expected a number from -100 to 100, found string \"x\"" + fix},
      {R"("logit_bias":{"7":1,"07":2})", "logit_bias",
       "logit_bias: token 7 stands there twice" + fix},
      {R"("logprobs":5)", "logprobs", "logprobs: expected true or false, found integer 5" + fix},
      {R"("logprobs":true,"top_logprobs":21)", "top_logprobs",
       "top_logprobs: expected an integer from 0 to 20, found integer 21" + fix},
      {R"("top_logprobs":3)", "top_logprobs",
       "top_logprobs: expected \"logprobs\": true beside it, found integer 3" + fix},
      {R"("model":7)", "model", "model: expected a string, found integer 7" + fix},
      {R"("truncate_prompt_tokens":0)", "truncate_prompt_tokens",
       "truncate_prompt_tokens: expected an integer from 1 to 2147483647, found integer 0" + fix},
      {R"("priority":"high")", "priority",
       "priority: expected a 64-bit integer, found string \"high\"" + fix},
      {R"("timeout":65536)", "timeout",
       "timeout: expected an integer from 0 to 65535, found integer 65536" + fix},
      {R"("request_id":"a b")", "request_id",
       "request_id: expected 1 to 128 letters, digits, '-', '_', '.' and ':', found string \"a "
       "b\"" +
           fix},
      {R"("thinking":true)", "thinking",
       "thinking: expected {\"type\": \"enabled\"} or {\"type\": \"disabled\"}, found bool true" +
           fix},
      {R"("thinking":{"type":"auto"})", "thinking.type",
       "thinking.type: expected \"enabled\" or \"disabled\", found string \"auto\"" + fix},
      {R"("reasoning_effort":"huge")", "reasoning_effort",
       "reasoning_effort: expected none, minimal, low, medium, high or xhigh, found string "
       "\"huge\"" +
           fix},
      {R"("chat_template_kwargs":{"thinking":"yes"})", "chat_template_kwargs.thinking",
       "chat_template_kwargs.thinking: expected true or false, found string \"yes\"" + fix},
      {R"("chat_template_kwargs":{"messages":[]})", "chat_template_kwargs.messages",
       "chat_template_kwargs.messages: expected variables of the template's own, found array []" +
           fix},
      {R"("chat_template_kwargs":"x")", "chat_template_kwargs",
       "chat_template_kwargs: expected an object, found string \"x\"" + fix},
      {R"("response_format":"json")", "response_format",
       "response_format: expected an object, found string \"json\"" + fix},
      {R"("continue_final_message":true)", "continue_final_message",
       "continue_final_message: expected a last message of the assistant, with text, found bool "
       "true" +
           fix},
  };
  for (const Refused& row : rows) ExpectRefused(Body(row.fields), row);
}

// Of [] and not of null or 0: what is made of each is the most.
TEST(ChatRequest, BoundsTheValuesOfABody) {
  std::string lists = "[]";
  for (int i = 0; i < 1 << 18; ++i) lists += ",[]";
  ExpectRefused(Body("\"metadata\":[" + lists + "]"),
                {"", "metadata",
                 "metadata: more than 262,144 values; correct it and send the request again"});
}

// What is kept for each answer, times a thousand answers.
TEST(ChatRequest, BoundsWhatIsKeptForEachAnswer) {
  const std::string fix = "; correct it and send the request again";
  std::string biases;
  std::string ids;
  for (int i = 0; i < 1025; ++i) {
    biases += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
    ids += (i == 0 ? "" : ",") + std::to_string(i % 1000);
  }
  ExpectRefused(Body("\"logit_bias\":{" + biases + "}"),
                {"", "logit_bias", "logit_bias: 1025 tokens, expected at most 1024" + fix});
  ExpectRefused(
      Body("\"stop_token_ids\":[" + ids + "]"),
      {"", "stop_token_ids", "stop_token_ids: 1025 token ids, expected at most 1024" + fix});
  const std::string longest(1024, 'a');
  EXPECT_EQ(Parse(Body("\"stop\":\"" + longest + "\"")).generation.stop.front(), longest);
  const Result<ChatRequest> too_long =
      ParseChatRequest(Body("\"stop\":\"" + longest + "a\""), kLimits);
  ASSERT_FALSE(too_long.ok());
  EXPECT_TRUE(too_long.error().what.starts_with(
      "expected a text of 1 to 1024 bytes, or up to 16 of them, found string"))
      << too_long.error().what;
}

TEST(ChatRequest, RefusesWhatIsKnownAndNotSupportedByName) {
  const std::vector<Refused> rows = {
      {R"("tools":[{"type":"function","function":{"name":"f"}}])", "tools",
       "tools: 'tools' is not supported; leave it out, or set tool_choice to \"none\""},
      {R"("tools":[{}],"tool_choice":"auto")", "tools",
       "tools: 'tools' is not supported; leave it out, or set tool_choice to \"none\""},
      {R"("tool_choice":"required")", "tool_choice",
       "tool_choice: a 'tool_choice' that calls tools is not supported; leave it out, or set it to "
       "\"none\""},
      {R"("tool_choice":{"type":"function","function":{"name":"f"}})", "tool_choice",
       "tool_choice: a 'tool_choice' that calls tools is not supported; leave it out, or set it to "
       "\"none\""},
      {R"("response_format":{"type":"json_object"})", "response_format.type",
       "response_format.type: 'response_format' of the type \"json_object\" is not supported; use "
       "\"text\" and ask for the format in words"},
      {R"("response_format":{"type":"json_schema","json_schema":{}})", "response_format.type",
       "response_format.type: 'response_format' of the type \"json_schema\" is not supported; use "
       "\"text\" and ask for the format in words"},
      {R"("structured_outputs":{"json":{}})", "structured_outputs",
       "structured_outputs: 'structured_outputs' is not supported; leave it out and ask for the "
       "format in words"},
      {R"("guided_json":{"type":"object"})", "guided_json",
       "guided_json: 'guided_json' is not supported; leave it out and ask for the format in words"},
      {R"("best_of":2)", "best_of",
       "best_of: 'best_of' 2 is not supported; leave it out, or ask for n answers and choose among "
       "them"},
      {R"("prompt_logprobs":1)", "prompt_logprobs",
       "prompt_logprobs: 'prompt_logprobs' is not supported; leave it out; fathom score gives "
       "them"},
      {R"("chat_template":"{{ x }}")", "chat_template",
       "chat_template: 'chat_template' is not supported; start the server with --chat-template"},
      {R"("echo":true)", "echo",
       "echo: 'echo' is not supported; leave it out; completions have it"},
      {R"("functions":[{}])", "functions", "functions: 'functions' is not supported; leave it out"},
      {R"("use_beam_search":true)", "use_beam_search",
       "use_beam_search: 'use_beam_search' is not supported; leave it out: answers are sampled"},
      {R"("thinking_token_budget":100)", "thinking_token_budget",
       "thinking_token_budget: 'thinking_token_budget' is not supported; bound the whole answer by "
       "max_tokens"},
  };
  for (const Refused& row : rows) ExpectRefused(Body(row.fields), row);
}

TEST(ChatRequest, NamesUnknownFieldsAndGoesOn) {
  EXPECT_EQ(Parse(Body(R"("vendor":1,"temperature":1,"extra":{"a":1})")).generation.unknown_fields,
            (std::vector<std::string>{"vendor", "extra"}));
  std::string too_many;
  for (int i = 0; i < 1000; ++i) too_many += (i == 0 ? "\"x" : ",\"x") + std::to_string(i) + "\":1";
  ExpectRefused(Body(too_many), {"", "",
                                 "request: 1001 fields, expected at most 1000; correct it and send "
                                 "the request again"});
  // A client's names are its own: they go to a log and must not fill it.
  std::string many;
  for (int i = 0; i < 100; ++i) many += (i == 0 ? "\"x" : ",\"x") + std::to_string(i) + "\":1";
  EXPECT_EQ(Parse(Body(many)).generation.unknown_fields.size(), 16u);
  const std::string longest = std::string(63, 'a') + "好";
  EXPECT_EQ(Parse(Body("\"" + longest + "\":1")).generation.unknown_fields,
            (std::vector<std::string>{std::string(63, 'a')}));
}

TEST(ChatRequest, TurnsThinkingOnAndOffForTemplates) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"("thinking":{"type":"enabled"})", R"({"thinking":true,"enable_thinking":true})"},
      {R"("thinking":{"type":"disabled","budget":5})",
       R"({"thinking":false,"enable_thinking":false})"},
      {R"("enable_thinking":true)", R"({"thinking":true,"enable_thinking":true})"},
      {R"("chat_template_kwargs":{"thinking":true,"x":[1]})",
       R"({"thinking":true,"x":[1],"enable_thinking":true})"},
      {R"("chat_template_kwargs":{"enable_thinking":false})",
       R"({"enable_thinking":false,"thinking":false})"},
      {R"("chat_template_kwargs":{"enable_thinking":false,"thinking":true})",
       R"({"enable_thinking":false,"thinking":true})"},
      {R"("chat_template_kwargs":{"thinking":false},"thinking":{"type":"enabled"})",
       R"({"thinking":false,"enable_thinking":false})"},
      {R"("reasoning_effort":"none")",
       R"({"thinking":false,"enable_thinking":false,"reasoning_effort":"none"})"},
      {R"("reasoning_effort":"none","thinking":{"type":"enabled"})",
       R"({"thinking":true,"enable_thinking":true,"reasoning_effort":"none"})"},
      {R"("reasoning_effort":"high")", R"({"reasoning_effort":"high"})"},
  };
  for (const auto& [fields, arguments] : rows) {
    EXPECT_EQ(Parse(Body(fields)).template_arguments.Dump(), arguments) << fields;
  }
  EXPECT_EQ(Parse(Body(R"("separate_reasoning":false)")).reasoning, ReasoningWish::kInline);
}

TEST(ChatRequest, ContinuesTheLastMessage) {
  const std::string messages =
      R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"PREFIX}]REST})";
  const auto body = [&messages](std::string_view prefix, std::string_view rest) {
    std::string text = messages;
    text.replace(text.find("PREFIX"), 6, prefix);
    return text.replace(text.find("REST"), 4, rest);
  };
  for (const std::string& text :
       {body(R"(,"prefix":true)", ""), body("", R"(,"continue_final_message":true)"),
        body("", R"(,"continue_final_message":true,"add_generation_prompt":false)")}) {
    const ChatRequest request = Parse(text);
    EXPECT_TRUE(request.continue_final_message) << text;
    EXPECT_FALSE(request.add_generation_prompt) << text;
  }
  EXPECT_FALSE(Parse(body("", "")).continue_final_message);
  ExpectRefused(body(R"(,"prefix":true)", R"(,"add_generation_prompt":true)"),
                {"", "add_generation_prompt",
                 "add_generation_prompt: expected false where a message is continued, found bool "
                 "true; correct it and send the request again"});
}

}  // namespace
}  // namespace fathom
