// Does load keep its shape? 32 streams decode while prompts of 2048 tokens keep arriving, so many
// that prefill takes half of the token budget. The same work is done by the engine alone and by the
// server, with the clients on the same machine. Aims: the longest gap between two tokens of a
// stream under 4 times the median; the server at 0.9 of the engine's speed or more.
//
//   scripts/bench-model bench-small FOLDER && FATHOM_BENCH_MODEL=FOLDER build/release/cli_bench

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/loaded_model.h"
#include "cli/model_flags.h"
#include "cli/model_folder.h"
#include "engine/engine.h"
#include "engine/token_rules.h"
#include "io/file_system.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "net/sse.h"
#include "sched/request.h"
#include "server/api_keys.h"
#include "server/request_log.h"
#include "server/server.h"

namespace fathom {
namespace {

constexpr int kStreams = 32;
constexpr int64_t kStreamPrompt = 118;
constexpr int64_t kStreamAnswer = 48;
constexpr int64_t kLongPrompt = 2048;
// Answers are of these tokens alone, letters to the tokenizer of scripts/bench-model: a part of a
// character would wait for the next step's token, and its gap would be of two steps.
constexpr std::array<int32_t, 3> kLetters = {3 + 'a', 3 + 'b', 3 + 'c'};

template <class T>
T Must(Result<T> result) {
  if (!result.ok()) {
    std::fputs(result.error().ToString().c_str(), stderr);
    std::exit(2);
  }
  return std::move(result).value();
}

// A server's model in memory, with the sizes that `fathom serve` gives it.
struct Bench {
  explicit Bench(const std::string& path);

  std::unique_ptr<FileSystem> files = MakePosixFileSystem();
  Console console{STDOUT_FILENO, STDERR_FILENO};
  SteadyClock clock;
  Interrupt interrupt;
  CommandContext context{*files, console, clock, interrupt};
  NoProgress quiet;
  ModelFolder folder;
  ModelFlags flags;
  EngineConfig sizes;
  LoadedModel loaded;
};

Bench::Bench(const std::string& path) : folder(Must(OpenModelFolder(*files, path, "", quiet))) {
  sizes = Must(SizeForMachine(folder, flags,
                              {.max_model_len = 2 * kLongPrompt, .max_num_seqs = 2 * kStreams}));
  loaded = Must(LoadModel(context, folder, flags, sizes, false, quiet));
}

// What is to be computed. No prompt shares a beginning with another, in this round or in any.
class Work {
 public:
  Work(const Bench& bench, uint64_t round)
      : vocab_(bench.folder.checkpoint.config().vocab),
        steps_per_prompt_(2 * kLongPrompt / bench.sizes.scheduler.max_batched_tokens),
        random_(round) {
    for (int i = 0; i < kStreams; ++i) streams_.push_back(RandomPrompt(kStreamPrompt));
    for (int64_t i = 0; i < kStreamAnswer / steps_per_prompt_; ++i) {
      long_prompts_.push_back(RandomPrompt(kLongPrompt));
    }
  }

  const std::vector<std::vector<int32_t>>& streams() const { return streams_; }
  const std::vector<std::vector<int32_t>>& long_prompts() const { return long_prompts_; }
  // How many of the long prompts have come when the first stream has so many tokens: each step
  // gives it one.
  size_t Arrived(int64_t tokens) const {
    return std::min(long_prompts_.size(), static_cast<size_t>(tokens / steps_per_prompt_));
  }
  int64_t tokens() const {
    return kStreams * (kStreamPrompt + kStreamAnswer) +
           static_cast<int64_t>(long_prompts_.size()) * (kLongPrompt + 1);
  }

 private:
  std::vector<int32_t> RandomPrompt(int64_t tokens) {
    std::uniform_int_distribution<int32_t> id(10, static_cast<int32_t>(vocab_) - 1);
    std::vector<int32_t> prompt(static_cast<size_t>(tokens));
    for (int32_t& token : prompt) token = id(random_);
    return prompt;
  }

  int64_t vocab_;
  int64_t steps_per_prompt_;
  std::mt19937_64 random_;
  std::vector<std::vector<int32_t>> streams_;
  std::vector<std::vector<int32_t>> long_prompts_;
};

// What came of it.
struct Outcome {
  double seconds = 0;
  std::vector<double> gaps_s;  // between two tokens of a stream
};

void AddGaps(const std::vector<double>& times, std::vector<double>& gaps) {
  for (size_t i = 1; i < times.size(); ++i) gaps.push_back(times[i] - times[i - 1]);
}

double Quantile(std::vector<double>& values, double q) {
  std::ranges::sort(values);
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1))];
}

GenerationRequest Generation(const Bench& bench, const std::vector<int32_t>& prompt,
                             int64_t answer) {
  GenerationRequest request;
  request.prompt = prompt;
  request.rules = Must(TokenRules::Make(bench.folder.checkpoint.config().vocab, kLetters));
  request.sampling.temperature = 0;
  request.max_tokens = answer;
  return request;
}

// Seconds.
double RunEngine(Bench& bench, const Work& work) {
  Engine& engine = *bench.loaded.engine;
  const double began = bench.clock.Seconds();
  const RequestId first = Must(engine.Submit(Generation(bench, work.streams()[0], kStreamAnswer)));
  for (size_t i = 1; i < kStreams; ++i) {
    Must(engine.Submit(Generation(bench, work.streams()[i], kStreamAnswer)));
  }
  int64_t tokens = 0;
  size_t arrived = 0;
  while (!engine.idle()) {
    for (const EngineEvent& event : engine.Step().events) {
      if (event.token && event.id == first) ++tokens;
    }
    for (; arrived < work.Arrived(tokens); ++arrived) {
      Must(engine.Submit(Generation(bench, work.long_prompts()[arrived], 1)));
    }
  }
  return bench.clock.Seconds() - began;
}

// The clients of one round, a thread each.
class Clients {
 public:
  Clients(const Bench& bench, const Server& server, const Work& work)
      : bench_(bench), url_(Format("http://127.0.0.1:{}", server.port())), work_(work) {}

  Outcome Run() {
    Outcome outcome;
    std::vector<std::vector<double>> times(kStreams);
    std::vector<std::thread> streams;
    streams.reserve(kStreams);
    const double began = bench_.clock.Seconds();
    for (size_t i = 0; i < kStreams; ++i) {
      streams.emplace_back([this, i, &times] {
        Complete(work_.streams()[i], kStreamAnswer, [&] {
          times[i].push_back(bench_.clock.Seconds());
          if (i == 0) SendArrived(static_cast<int64_t>(times[i].size()));
        });
      });
    }
    for (std::thread& stream : streams) stream.join();
    for (std::thread& prompt : prompts_) prompt.join();
    outcome.seconds = bench_.clock.Seconds() - began;
    for (const std::vector<double>& stream : times) {
      FATHOM_CHECK(static_cast<int64_t>(stream.size()) == kStreamAnswer);
      AddGaps(stream, outcome.gaps_s);
    }
    return outcome;
  }

 private:
  // On the first stream's thread.
  void SendArrived(int64_t tokens) {
    while (prompts_.size() < work_.Arrived(tokens)) {
      const std::vector<int32_t>& prompt = work_.long_prompts()[prompts_.size()];
      prompts_.emplace_back([this, &prompt] { Complete(prompt, 1, [] {}); });
    }
  }

  void Complete(const std::vector<int32_t>& prompt, int64_t answer,
                const std::function<void()>& on_token) const {
    const Json body = Json::MakeObject(
        {{"prompt", Json::Array(prompt.begin(), prompt.end())},
         {"max_tokens", answer},
         {"ignore_eos", true},
         {"allowed_token_ids", Json::Array(kLetters.begin(), kLetters.end())},
         {"temperature", 0},
         {"stream", true},
         {"stream_options",
          Json::MakeObject({{"include_usage", true}, {"continuous_usage_stats", true}})}});
    const std::unique_ptr<HttpClient> client = Must(HttpClient::Create({.url = url_}));
    SseParser events;
    int64_t tokens = 0;
    const HttpCall call{.method = "POST",
                        .target = "/v1/completions",
                        .headers = JsonHeaders(),
                        .body = body.Dump()};
    const HttpResponse head = Must(client->Stream(
        call, std::chrono::hours(1), [&](const HttpResponse&, std::string_view piece) {
          const Status fed = events.Feed(piece, [&](const SseMessage& message) {
            CountTokens(message.data, tokens, on_token);
          });
          return fed.ok();
        }));
    FATHOM_CHECK(head.status == 200);
  }

  static HttpHeaders JsonHeaders() {
    HttpHeaders headers;
    headers.Add("Content-Type", "application/json");
    return headers;
  }

  // An event may bring several tokens: those whose bytes are a character only together.
  static void CountTokens(std::string_view data, int64_t& tokens,
                          const std::function<void()>& on_token) {
    if (data == "[DONE]") return;
    const Json event = Must(ParseJson(data, "event"));
    const int64_t total = event.Find("usage")->Find("completion_tokens")->as_int();
    for (; tokens < total; ++tokens) on_token();
  }

  const Bench& bench_;
  std::string url_;
  const Work& work_;
  std::vector<std::thread> prompts_;
};

std::unique_ptr<Server> Serve(Bench& bench, ServerLog& log) {
  std::unique_ptr<Server> server =
      Must(Server::Listen({.http = {.port = 0}}, {}, bench.clock, log));
  server->Start({.names = {"bench"},
                 .root = bench.folder.path,
                 .text = *bench.folder.text,
                 .defaults = {},
                 .eos_ids = {},
                 .vocab = bench.folder.checkpoint.config().vocab,
                 .max_model_len = bench.sizes.max_model_len},
                *bench.loaded.engine);
  return server;
}

void BmLoadShape(benchmark::State& state) {
  const char* path = std::getenv("FATHOM_BENCH_MODEL");
  if (path == nullptr) return state.SkipWithError("FATHOM_BENCH_MODEL names no model folder");
  Bench bench(path);
  ServerLog log([](std::string_view) {}, [] { return int64_t{0}; });
  uint64_t round = 0;
  double engine_s = 0;
  double server_s = 0;
  int64_t tokens = 0;
  std::vector<double> gaps;
  for (auto _ : state) {
    const Work alone(bench, ++round);
    engine_s += RunEngine(bench, alone);
    const Work served(bench, ++round);
    const std::unique_ptr<Server> server = Serve(bench, log);
    Outcome outcome = Clients(bench, *server, served).Run();
    server_s += outcome.seconds;
    tokens += served.tokens();
    gaps.insert(gaps.end(), outcome.gaps_s.begin(), outcome.gaps_s.end());
  }
  const double median = Quantile(gaps, 0.5);
  state.counters["engine_tok_s"] = static_cast<double>(tokens) / engine_s;
  state.counters["server_tok_s"] = static_cast<double>(tokens) / server_s;
  state.counters["server_of_engine"] = engine_s / server_s;
  state.counters["median_gap_ms"] = median * 1e3;
  state.counters["p99_gap_ms"] = Quantile(gaps, 0.99) * 1e3;
  state.counters["longest_gap_ms"] = gaps.back() * 1e3;
  state.counters["longest_of_median"] = gaps.back() / median;
}
BENCHMARK(BmLoadShape)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond);

}  // namespace
}  // namespace fathom
