#include "server/test_server_testing.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/executor.h"
#include "engine/memory_executor_testing.h"
#include "model/model.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "net/sse.h"
#include "sched/scheduler_config.h"
#include "sched/step_plan.h"
#include "server/api_keys.h"
#include "server/server.h"
#include "tensor/mat_view.h"
#include "text/text_assets.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

// Far beyond what any call takes; a test that reaches it has hung.
constexpr auto kPatience = std::chrono::seconds(120);

// A model that costs nothing: after whatever prompt the likeliest token is "hello".
class NullExecutor : public Executor {
 public:
  // Most rows of logits in a step.
  NullExecutor(int64_t vocab, int64_t rows) : logits_(rows, vocab) {
    for (int64_t row = 0; row < rows; ++row) {
      std::ranges::fill(logits_[row], 0.0F);
      logits_[row][kTinyHello] = 1;
    }
  }
  int64_t vocab() const override { return logits_.cols(); }
  bool has_mtp() const override { return false; }
  void CopyBlocks(std::span<const BlockCopy> /*copies*/) override {}
  ForwardResult Run(const ForwardBatch& batch) override {
    return {.logits = std::as_const(logits_).view().Rows(
                0, static_cast<int64_t>(batch.logit_rows.size())),
            .mtp_logits = {}};
  }

 private:
  Matrix<float> logits_;
};

template <typename T>
T OrDie(Result<T> result) {
  if (!result.ok()) CheckFailed(result.error().ToString().c_str(), __FILE__, __LINE__);
  return std::move(result).value();
}

}  // namespace

TestServer::TestServer(Options options)
    : options_(std::move(options)),
      log_(
          [this](std::string_view line) {
            const std::lock_guard lock(log_mutex_);
            log_text_ += line;
          },
          [this] {
            if (options_.before_log) options_.before_log();
            return int64_t{0};
          }) {
  const TokenizerFiles tokenizer = TinyTokenizerFiles();
  files_.Put("model/tokenizer.json", tokenizer.tokenizer_json);
  files_.Put("model/tokenizer_config.json", tokenizer.tokenizer_config);
  if (!options_.chat_template.empty()) {
    files_.Put("model/chat_template.jinja", options_.chat_template);
  }
  text_ = std::make_unique<TextAssets>(OrDie(LoadTextAssets(files_, "model", "")));
  engine_ = std::make_unique<Engine>(
      MakeExecutor(),
      EngineConfig{.scheduler = options_.scheduler, .max_model_len = options_.max_model_len}, pool_,
      clock_);
  options_.server.http.port = 0;
  ApiKeys keys = OrDie(ApiKeys::Load(options_.keys, "", files_, {}));
  server_ = OrDie(Server::Listen(options_.server, std::move(keys), clock_, log_));
  if (options_.start) Start();
}

std::unique_ptr<Executor> TestServer::MakeExecutor() {
  const SchedulerConfig& scheduler = options_.scheduler;
  if (options_.null_model) {
    return std::make_unique<NullExecutor>(kTinyVocab, scheduler.max_logit_rows);
  }
  auto executor = std::make_unique<MemoryExecutor>(MemoryExecutor::Options{
      .vocab = kTinyVocab, .blocks = scheduler.blocks, .block_tokens = scheduler.block_tokens});
  executor->on_run = [this](const ForwardBatch&) {
    std::unique_lock lock(pause_mutex_);
    resumed_.wait(lock, [this] { return steps_left_ > 0; });
    --steps_left_;
  };
  return executor;
}

TestServer::~TestServer() {
  Resume();
  server_.reset();
}

void TestServer::Start() {
  server_->Start({.names = {"tiny", "other"},
                  .root = "model",
                  .created = 1234,
                  .text = *text_,
                  .defaults = {},
                  .eos_ids = {kTinyEos},
                  .vocab = kTinyVocab,
                  .max_model_len = options_.max_model_len,
                  .log_text = options_.log_text},
                 *engine_);
}

void TestServer::PauseAfter(int64_t steps) {
  const std::lock_guard lock(pause_mutex_);
  steps_left_ = steps;
}

void TestServer::LetStep() {
  {
    const std::lock_guard lock(pause_mutex_);
    ++steps_left_;
  }
  resumed_.notify_all();
}

void TestServer::Resume() {
  {
    const std::lock_guard lock(pause_mutex_);
    steps_left_ = INT64_MAX;
  }
  resumed_.notify_all();
}

std::unique_ptr<HttpClient> TestServer::Client() const {
  return OrDie(HttpClient::Create({.url = server_->address()}));
}

HttpResponse TestServer::Get(const std::string& target) const {
  return OrDie(Client()->Send({.method = "GET", .target = target}, kPatience));
}

HttpResponse TestServer::Post(const std::string& target, const Json& body) const {
  return OrDie(
      Client()->Send({.method = "POST", .target = target, .body = body.Dump()}, kPatience));
}

std::vector<std::string> TestServer::Stream(const std::string& target, Json body) const {
  body.Set("stream", true);
  SseParser parser;
  std::vector<std::string> events;
  const auto take = [&](const HttpResponse&, std::string_view piece) {
    return parser.Feed(piece, [&](const SseMessage& event) { events.push_back(event.data); }).ok();
  };
  OrDie(
      Client()->Stream({.method = "POST", .target = target, .body = body.Dump()}, kPatience, take));
  return events;
}

std::string TestServer::log() {
  log_.Flush();
  const std::lock_guard lock(log_mutex_);
  return log_text_;
}

void TestServer::AwaitIdle() const {
  while (server_->open() > 0) std::this_thread::yield();
}

bool HasMetric(const TestServer& server, std::string_view name, int64_t value) {
  const std::string line = Format("\n{}{{model_name=\"tiny\",engine=\"0\"}} {}\n", name, value);
  return server.Get("/metrics").body.find(line) != std::string::npos;
}

Json Chat(std::string_view text, int64_t max_tokens) {
  return Json::MakeObject(
      {{"messages", Json::Array{Json::MakeObject({{"role", "user"}, {"content", text}})}},
       {"max_tokens", max_tokens},
       {"temperature", 0}});
}

Json Parse(const std::string& text) { return OrDie(ParseJson(text, "answer")); }

Json At(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* at = &json;
  for (const std::string_view step : path) {
    if (at->is_array()) {
      const auto index = static_cast<size_t>(std::stoi(std::string(step)));
      if (index >= at->as_array().size()) return {};
      at = &at->as_array()[index];
    } else {
      at = at->Find(step);
    }
    if (at == nullptr) return {};
  }
  return *at;
}

}  // namespace fathom
