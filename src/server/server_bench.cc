// What the server itself costs: HTTP, tokenizer, scheduler, sampling, detokenizing and server-sent
// events around a model that costs next to nothing. The client reads on one more thread of the same
// machine. server_us_per_token is CPU time of all threads but the client's.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "base/json.h"
#include "net/many_streams_testing.h"
#include "server/test_server_testing.h"

namespace fathom {
namespace {

constexpr int64_t kTokens = 256;  // of each answer

std::string Request() {
  const Json message = Json::MakeObject({{"role", "user"}, {"content", "hello"}});
  return ClosingPost("/v1/chat/completions", Json::MakeObject({{"messages", Json::Array{message}},
                                                               {"max_tokens", kTokens},
                                                               {"ignore_eos", true},
                                                               {"temperature", 0},
                                                               {"stream", true}})
                                                 .Dump());
}

void BmStreams(benchmark::State& state) {
  const int64_t streams = state.range(0);
  TestServer server({.scheduler = {.blocks = streams * (kTokens / 16 + 2),
                                   .block_tokens = 16,
                                   .max_batched_tokens = streams + 512,
                                   .max_sequences = streams,
                                   .max_logit_rows = streams},
                     .max_model_len = 2 * kTokens,
                     .null_model = true});
  const std::string request = Request();
  double server_s = 0;
  int64_t tokens = 0;
  for (auto _ : state) {
    const double process_s = ProcessCpuSeconds();
    const double client_s = ThreadCpuSeconds();
    const ManyAnswers answers =
        ReadManyAnswers(server.server().port(), request, static_cast<int>(streams));
    server_s += (ProcessCpuSeconds() - process_s) - (ThreadCpuSeconds() - client_s);
    for (const std::string& tail : answers.tails) {
      if (tail.find("[DONE]") == std::string::npos) state.SkipWithError("an answer is not whole");
    }
    tokens += streams * kTokens;
  }
  state.counters["tokens_per_s"] =
      benchmark::Counter(static_cast<double>(tokens), benchmark::Counter::kIsRate);
  state.counters["server_us_per_token"] = server_s * 1e6 / static_cast<double>(tokens);
}
BENCHMARK(BmStreams)->Arg(1)->Arg(100)->Arg(1000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fathom
