// `fathom serve` from its command line to its exit code, as its users start and stop it.

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "net/certificate_testing.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"

namespace fathom {
namespace {

using Words = std::vector<std::string>;
constexpr auto kPatience = std::chrono::minutes(2);

Json Object(Json::Object fields) { return Json(std::move(fields)); }

Json Parse(const std::string& text) {
  Result<Json> json = ParseJson(text, "answer");
  EXPECT_TRUE(json.ok()) << text;
  return json.ok() ? *json : Json();
}

// The program with a tiny model, on a free port.
class Served {
 public:
  Served(const std::string& model, const Words& flags, HttpClientOptions client = {})
      : child_(Args(model, flags), Child::Streams::kPipes) {
    if (!child_.ReadErrUntil("ready: ")) return;
    child_.ReadErrUntil(" as '");
    const std::string& err = child_.err();
    const size_t begin = err.rfind("ready: ") + 7;
    client.url = err.substr(begin, err.find(' ', begin) - begin);
    options_ = client;
  }

  Child& child() { return child_; }
  // What the program said before it was ready.
  const std::string& said() const { return child_.err(); }

  HttpResponse Send(const HttpCall& call) const {
    Result<std::unique_ptr<HttpClient>> client = HttpClient::Create(options_);
    if (!client.ok()) return {};
    Result<HttpResponse> response = (*client)->Send(call, kPatience);
    EXPECT_TRUE(response.ok()) << (response.ok() ? "" : response.error().ToString());
    return response.ok() ? std::move(*response) : HttpResponse{};
  }
  HttpResponse Get(const std::string& target) const { return Send({.target = target}); }
  HttpResponse Post(const std::string& target, Json::Object fields) const {
    return Send({.method = "POST", .target = target, .body = Object(std::move(fields)).Dump()});
  }
  // The text of a greedy completion.
  std::string Complete(const std::string& prompt, int64_t tokens, Json::Object more = {}) const {
    Json::Object fields = {
        {"prompt", prompt}, {"max_tokens", tokens}, {"ignore_eos", true}, {"temperature", 0}};
    fields.insert(fields.end(), more.begin(), more.end());
    const Json answer = Parse(Post("/v1/completions", std::move(fields)).body);
    const Json* choices = answer.Find("choices");
    return choices == nullptr ? answer.Dump() : choices->as_array()[0].Find("text")->as_string();
  }

  // Returns once so many requests are computed at once; false: what asked for them is `over`.
  bool AwaitRunning(int64_t count, const std::atomic<bool>& over) const {
    const std::string line =
        Format("vllm:num_requests_running{{model_name=\"tiny\",engine=\"0\"}} {}\n", count);
    while (!over) {
      if (Get("/metrics").body.find(line) != std::string::npos) return true;
    }
    return false;
  }

  // SIGTERM; what is left of it.
  Outcome Stop() {
    child_.Signal(SIGTERM);
    return child_.Finish();
  }

 private:
  static Words Args(const std::string& model, const Words& flags) {
    Words args = {"serve", model, "--port", "0", "--threads", "1"};
    args.insert(args.end(), flags.begin(), flags.end());
    return args;
  }

  Child child_;
  HttpClientOptions options_;
};

class ServeTest : public testing::Test {
 protected:
  ScratchFolder folder_;
  std::string model_ = WriteTinyModel(folder_, "tiny");
};

TEST_F(ServeTest, StartsInNumberedPhasesAndEndsWithZeroWhenAllWereAnswered) {
  Served served(model_, {});
  for (const char* said : {"listening on http://127.0.0.1:", "[1/3]", "[2/3]", "[3/3]",
                           "KV cache holds ", " as 'tiny'"}) {
    EXPECT_NE(served.said().find(said), std::string::npos) << said << "\n" << served.said();
  }
  EXPECT_EQ(served.Get("/health").status, 200);
  EXPECT_EQ(served.Complete("hello", 4).empty(), false);
  const Outcome outcome = served.Stop();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("all requests were answered\n")) << outcome.err;
}

TEST_F(ServeTest, TheCacheHoldsWhatItsBytesHold) {
  // By hand: 3 layers of 64 + 12 values in float32 are 912 bytes a token, 14592 a block of 16.
  // 1 MiB has 71 such blocks, 1136 tokens, which is one request of 1024.
  Served served(model_, {"--kv-cache-memory", "1M", "--kv-cache-dtype", "float32",
                         "--max-model-len", "1024"});
  EXPECT_NE(served.said().find("KV cache holds 1,136 tokens = 1 requests of 1024"),
            std::string::npos)
      << served.said();
}

TEST_F(ServeTest, ACacheLargerThanTheMemoryLimitIsRefusedBeforeItLoads) {
  const Outcome outcome = RunFathom(
      {"serve", model_, "--port", "0", "--kv-cache-memory", "1G", "--memory-limit", "512M"});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_EQ(outcome.err.find("reading weights"), std::string::npos) << outcome.err;
}

TEST_F(ServeTest, AnswersAreThoseOfRunInEveryFormatOfTheWeights) {
  std::vector<std::string> answers;
  for (const char* weights : {"auto", "w8a8"}) {
    const Outcome run =
        RunFathom({"run", model_, "--raw", "--json", "-p", "hello world", "--max-tokens", "24",
                   "--ignore-eos", "--temperature", "0.8", "--seed", "7", "--weights", weights});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    answers.push_back(Parse(run.out).Find("text")->as_string());
    Served served(model_, {"--weights", weights});
    const HttpResponse whole = served.Post("/v1/completions", {{"prompt", "hello world"},
                                                               {"max_tokens", 24},
                                                               {"ignore_eos", true},
                                                               {"temperature", 0.8},
                                                               {"seed", 7}});
    EXPECT_EQ(Parse(whole.body).Find("choices")->as_array()[0].Find("text")->as_string(),
              answers.back());
  }
  EXPECT_NE(answers[0], answers[1]);
}

// The answer a checkpoint is known for is that of its weights as they are stored.
TEST_F(ServeTest, AnotherAnswerThanTheKnownOneEndsTheStartOnlyOfWeightsAsStored) {
  folder_.Put("tiny/expected.json",
              R"({"items": [{"prompt_ids": [5, 6], "ids": [1, 2, 3], "margins": [9, 9, 9]}]})");
  const Outcome stored = RunFathom({"serve", model_, "--port", "0"});
  EXPECT_EQ(stored.exit_code, 3) << stored.err;
  EXPECT_NE(ErrorIn(stored).find("self-test"), std::string::npos) << stored.err;
  Served served(model_, {"--weights", "w8a8"});
  EXPECT_NE(served.said().find("ready: "), std::string::npos) << served.said();
}

TEST_F(ServeTest, MindiesParametersAreRaisedAloudAndHold) {
  const std::string config = folder_.Put("config.json", R"({"BackendConfig": {
    "ModelDeployConfig": {"maxSeqLen": 512, "maxInputTokenLen": 256},
    "ScheduleConfig": {"templateType": "Standard", "maxPrefillTokens": 256, "maxPrefillBatchSize": 4,
                       "maxBatchSize": 8, "maxIterTimes": 3, "cacheBlockSize": 16}}})");
  Served served(model_, {"--mindie-config", config, "--explain-schedule", folder_ / "steps.jsonl"});
  // min(512, 256 + 3)
  EXPECT_NE(served.said().find("259"), std::string::npos) << served.said();
  const Json answer = Parse(
      served.Post("/v1/completions", {{"prompt", "hello"}, {"max_tokens", 9}, {"ignore_eos", true}})
          .body);
  EXPECT_EQ(answer.Find("usage")->Find("completion_tokens")->as_int(), 3) << answer.Dump();
  EXPECT_EQ(served.Stop().exit_code, 0);
  std::istringstream lines(folder_.Get("steps.jsonl"));
  int prefills = 0;
  int decodes = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json step = Parse(line);
    EXPECT_NE(step.Find("rule"), nullptr) << line;
    const std::string stage = step.Find("choice")->as_string();
    prefills += stage == "prefill" ? 1 : 0;
    decodes += stage == "decode" ? 1 : 0;
  }
  EXPECT_GE(prefills, 1);
  EXPECT_GE(decodes, 2);
}

TEST_F(ServeTest, MindiesParametersAreCutToTheModelAndRefusedWithoutSwapSpace) {
  const Outcome outcome = RunFathom({"serve", model_, "--port", "0", "--schedule",
                                     "maxSeqLen=1000000", "--schedule", "maxPreemptCount=2"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("maxSeqLen 1000000 is cut to the model's "), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("error: maxPreemptCount is 2, and there is no memory to swap to\n"),
            std::string::npos)
      << outcome.err;
}

// Two sequences of 300 tokens in a cache of 400: one of them loses its blocks and gets them back.
TEST_F(ServeTest, WhoLosesItsBlocksToOthersIsSwappedAndAnswersTheSame) {
  // 912 bytes a token: 25 blocks are 364800 bytes.
  const Words cache = {"--kv-cache-memory", "365K", "--kv-cache-dtype", "float32",
                       "--max-model-len",   "384"};
  Words swap = cache;
  swap.insert(swap.end(), {"--swap-space", "1M", "--explain-schedule", folder_ / "steps.jsonl"});
  std::vector<std::string> alone;
  {
    Served served(model_, cache);
    for (const char* prompt : {"hello", "world"}) alone.push_back(served.Complete(prompt, 300));
  }
  Served served(model_, swap);
  const Json answer = Parse(served
                                .Post("/v1/completions", {{"prompt", Json::Array{"hello", "world"}},
                                                          {"max_tokens", 300},
                                                          {"ignore_eos", true},
                                                          {"temperature", 0}})
                                .body);
  std::vector<std::string> together;
  for (const Json& choice : answer.Find("choices")->as_array()) {
    together.push_back(choice.Find("text")->as_string());
  }
  EXPECT_EQ(together, alone);
  EXPECT_EQ(served.Stop().exit_code, 0);
  EXPECT_NE(folder_.Get("steps.jsonl").find(R"("how":"swap")"), std::string::npos);
}

TEST_F(ServeTest, SigtermEndsEndlessStreamsWithAnErrorAfterTheDrainTime) {
  Served served(model_, {"--drain-timeout", "0"});
  HttpResponse answer;
  std::atomic<bool> over = false;
  std::thread client([&] {
    answer = served.Post(
        "/v1/completions",
        {{"prompt", "hello"}, {"max_tokens", 2500}, {"ignore_eos", true}, {"stream", true}});
    over = true;
  });
  EXPECT_TRUE(served.AwaitRunning(1, over));
  const Outcome outcome = served.Stop();
  client.join();
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(answer.body.find("\"error\""), std::string::npos) << answer.body;
  EXPECT_TRUE(outcome.err.ends_with(
      "not all: requests that still ran were ended with an error, unread answers were cut\n"))
      << outcome.err;
}

TEST_F(ServeTest, ASecondSigtermDoesNotWaitForTheDrainTime) {
  Served served(model_, {"--drain-timeout", "3600"});
  std::atomic<bool> over = false;
  std::thread client([&] {
    served.Post("/v1/completions",
                {{"prompt", "hello"}, {"max_tokens", 2500}, {"ignore_eos", true}, {"n", 8}});
    over = true;
  });
  EXPECT_TRUE(served.AwaitRunning(8, over));
  served.child().Signal(SIGTERM);
  EXPECT_TRUE(served.child().ReadErrUntil("draining: running requests"));
  const Outcome outcome = served.Stop();
  client.join();
  EXPECT_NE(outcome.exit_code, 0) << outcome.err;
}

TEST_F(ServeTest, AnswersOverTlsToWhoHasAKeyOfTheFile) {
  const TestCertificate certificate = MakeTestCertificate();
  const std::string cert = folder_.Put("cert.pem", certificate.certificate);
  const std::string key = folder_.Put("key.pem", certificate.key);
  const std::string keys = folder_.Put("keys.txt", "first-key\nsecond-key\n");
  Served served(model_, {"--ssl-certfile", cert, "--ssl-keyfile", key, "--api-key-file", keys},
                {.ca_file = cert});
  EXPECT_NE(served.said().find("https://127.0.0.1:"), std::string::npos);
  EXPECT_EQ(served.said().find("second-key"), std::string::npos);
  EXPECT_EQ(served.Get("/v1/models").status, 401);
  HttpHeaders headers;
  headers.Add("Authorization", "Bearer second-key");
  EXPECT_EQ(served.Send({.target = "/v1/models", .headers = headers}).status, 200);
}

TEST_F(ServeTest, APortThatIsTakenIsNamedWithItsHolder) {
  Served served(model_, {});
  const std::string& err = served.said();
  const size_t begin = err.find("http://127.0.0.1:") + 17;
  const std::string port = err.substr(begin, err.find_first_not_of("0123456789", begin) - begin);
  const Outcome outcome = RunFathom({"serve", model_, "--port", port});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find(port), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("fathom"), std::string::npos) << outcome.err;
}

TEST_F(ServeTest, TheCauseOfAFailedStartComesLast) {
  folder_.Put("tiny/model.safetensors", "no tensors");
  const Outcome outcome = RunFathom({"serve", model_, "--port", "0"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  const std::string error = ErrorIn(outcome);
  EXPECT_TRUE(outcome.err.ends_with(error));
  EXPECT_NE(error.find("model.safetensors"), std::string::npos) << error;
}

}  // namespace
}  // namespace fathom
