// Requests as clients of OpenAI's protocol send them: each is read, and what is not known is named.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/chat_request.h"
#include "api/completion_request.h"
#include "api/generation_options.h"

namespace fathom {
namespace {

constexpr RequestLimits kLimits = {.vocab = 129280};

struct Row {
  const char* client;
  std::string body;
  std::vector<std::string> unknown = {};
};

const std::vector<Row>& Chats() {  // NOLINT(readability-function-size): a table
  static const std::vector<Row> rows = {
      {"openai-python", R"({"messages":[{"role":"user","content":"Say hi"}],"model":"r1"})"},
      {"openai-python, a stream with extra_body",
       R"({"messages":[{"role":"user","content":"Say hi"}],"model":"r1","stream":true,
           "stream_options":{"include_usage":true},"top_k":20,
           "chat_template_kwargs":{"thinking":true}})"},
      {"openai-python, an answer's model_dump() in the history",
       R"({"messages":[{"role":"user","content":"1+1?"},
           {"content":"2","refusal":null,"role":"assistant","annotations":null,"audio":null,
            "function_call":null,"tool_calls":null,"reasoning_content":"easy"},
           {"role":"user","content":"+1?"}],"model":"r1","max_completion_tokens":50})"},
      {"openai-node",
       R"({"model":"r1","messages":[{"role":"developer","content":"Be brief."},
           {"role":"user","content":[{"type":"text","text":"Say hi"}]}],"stream":true,
           "store":false,"metadata":{},"service_tier":"auto"})"},
      {"LangChain ChatOpenAI",
       R"({"messages":[{"content":"You are helpful.","role":"system"},
           {"content":"Hi","role":"user"}],"model":"r1","n":1,"stream":true,
           "stream_options":{"include_usage":true},"temperature":0.7})"},
      {"LangChain, tools called earlier",
       R"({"messages":[{"content":"Weather?","role":"user"},
           {"content":null,"role":"assistant","tool_calls":[{"type":"function","id":"call_1",
            "function":{"name":"weather","arguments":"{\"city\": \"Bonn\"}"}}]},
           {"content":"rain","role":"tool","tool_call_id":"call_1"}],"model":"r1"})"},
      {"Open WebUI",
       R"({"stream":true,"model":"r1","messages":[{"role":"user","content":"Hi"}],
           "stream_options":{"include_usage":true},"max_tokens":1000,"stop":["</end>"]})"},
      {"Open WebUI, the title of a chat",
       R"({"model":"r1","messages":[{"role":"user","content":"### Task:\nGenerate a title"}],
           "stream":false,"max_completion_tokens":1000})"},
      {"Cherry Studio",
       R"({"model":"r1","messages":[{"role":"system","content":""},
           {"role":"user","content":"你好"}],"temperature":1,"top_p":1,"keep_alive":"5m",
           "stream":true,"stream_options":{"include_usage":true},"enable_thinking":true})",
       {"keep_alive"}},
      {"Dify, a model is checked",
       R"({"model":"r1","max_tokens":5,"messages":[{"role":"user","content":"ping"}]})"},
      {"Dify",
       R"({"model":"r1","stream":true,"temperature":0.7,"max_tokens":512,
           "messages":[{"role":"system","content":"You are a bot."},
           {"role":"user","content":"Hi"}],"user":"6e7c2b","stop":["\nObservation"],
           "stream_options":{"include_usage":true},"enable_stream":true})",
       {"enable_stream"}},
      {"DeepSeek's documentation",
       R"({"messages":[{"content":"You are a helpful assistant","role":"system"},
           {"content":"Hi","role":"user"}],"model":"deepseek-reasoner","frequency_penalty":0,
           "max_tokens":2048,"presence_penalty":0,"response_format":{"type":"text"},"stop":null,
           "stream":false,"stream_options":null,"temperature":1,"top_p":1,"tools":null,
           "tool_choice":"none","logprobs":false,"top_logprobs":null,
           "thinking":{"type":"enabled"}})"},
      {"DeepSeek's chat prefix completion",
       R"({"model":"deepseek-chat","messages":[{"role":"user","content":"Write quick sort"},
           {"role":"assistant","content":"```python\n","prefix":true}],"stop":["```"]})"},
      {"vLLM's benchmark",
       R"({"model":"r1","messages":[{"role":"user","content":[{"type":"text","text":"a b c"}]}],
           "temperature":0.0,"max_completion_tokens":128,"stream":true,
           "stream_options":{"include_usage":true,"continuous_usage_stats":true},
           "ignore_eos":true})"},
  };
  return rows;
}

TEST(ClientRequests, ChatsAreRead) {
  for (const Row& row : Chats()) {
    const auto request = ParseChatRequest(row.body, kLimits);
    ASSERT_TRUE(request.ok()) << row.client << "\n" << request.error().ToString();
    EXPECT_EQ(request->generation.unknown_fields, row.unknown) << row.client;
  }
}

TEST(ClientRequests, CompletionsAreRead) {
  const std::vector<Row> rows = {
      {"openai-python", R"({"model":"r1","prompt":"Once","max_tokens":7,"temperature":0})"},
      {"vLLM's benchmark",
       R"({"model":"r1","prompt":"a b c","temperature":0.0,"repetition_penalty":1.0,
           "max_tokens":128,"logprobs":null,"stream":true,"stream_options":{"include_usage":true},
           "ignore_eos":true})"},
      {"SGLang's benchmark",
       R"({"model":"r1","prompt":"a b c","temperature":0.0,"best_of":1,"max_tokens":128,
           "stream":true,"ignore_eos":true})"},
      {"LangChain OpenAI",
       R"({"model":"r1","prompt":["Tell me a joke"],"frequency_penalty":0,"logit_bias":{},
           "logprobs":null,"max_tokens":256,"n":1,"presence_penalty":0,"seed":null,
           "temperature":0.7,"top_p":1})"},
      {"DeepSeek's FIM without a suffix",
       R"({"model":"deepseek-chat","prompt":"def f(a):","echo":false,"frequency_penalty":0,
           "logprobs":0,"max_tokens":1024,"presence_penalty":0,"stop":null,"stream":false,
           "stream_options":null,"suffix":null,"temperature":1,"top_p":1})"},
  };
  for (const Row& row : rows) {
    const auto request = ParseCompletionRequest(row.body, kLimits);
    ASSERT_TRUE(request.ok()) << row.client << "\n" << request.error().ToString();
    EXPECT_EQ(request->generation.unknown_fields, row.unknown) << row.client;
  }
}

}  // namespace
}  // namespace fathom
