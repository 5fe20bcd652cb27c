#ifndef FATHOM_SERVER_TEST_SERVER_TESTING_H_
#define FATHOM_SERVER_TEST_SERVER_TESTING_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/thread_pool.h"
#include "engine/engine.h"
#include "engine/executor.h"
#include "io/memory_file_system_testing.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "sched/scheduler_config.h"
#include "server/request_log.h"
#include "server/server.h"
#include "text/text_assets.h"

namespace fathom {

// A server on a free port of this machine, with a tiny tokenizer and a model that answers a hash of
// its prompt: the same prompt, the same answer, whatever else is computed.
class TestServer {
 public:
  struct Options {
    ServerOptions server = {};
    SchedulerConfig scheduler = {.blocks = 512, .block_tokens = 16, .max_sequences = 16};
    int64_t max_model_len = 512;
    std::vector<std::string> keys = {};
    std::string chat_template = {};  // in place of the tokenizer's own
    bool null_model = false;         // the same logits for whatever prompt, at no cost
    bool log_text = false;           // the log has the text of requests
    bool start = true;               // false: the server stays without a model
    // Called on the thread that logs something, before it does.
    std::function<void()> before_log = {};
  };

  TestServer() : TestServer(Options()) {}
  explicit TestServer(Options options);
  ~TestServer();

  Server& server() { return *server_; }
  Engine& engine() { return *engine_; }
  void Start();

  // The engine makes so many more steps, then stops until Resume.
  void PauseAfter(int64_t steps);
  void Pause() { PauseAfter(0); }
  // One step more of a server that is paused.
  void LetStep();
  void Resume();

  std::unique_ptr<HttpClient> Client() const;
  HttpResponse Get(const std::string& target) const;
  HttpResponse Post(const std::string& target, const Json& body) const;
  // The payloads ("data: ...") of the events of a streamed answer.
  std::vector<std::string> Stream(const std::string& target, Json body) const;

  // The log so far.
  std::string log();
  // Waits until no request is open. The engine holds nothing for any then, and /metrics says so.
  void AwaitIdle() const;

 private:
  std::unique_ptr<Executor> MakeExecutor();

  MemoryFileSystem files_;
  SteadyClock clock_;
  ThreadPool pool_{1};
  Options options_;
  std::unique_ptr<TextAssets> text_;

  std::mutex pause_mutex_;
  std::condition_variable resumed_;
  int64_t steps_left_ = INT64_MAX;

  std::mutex log_mutex_;
  std::string log_text_;
  ServerLog log_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Server> server_;
};

// True when /metrics has the value under the name.
bool HasMetric(const TestServer& server, std::string_view name, int64_t value);

// A request for a chat whose answer is always the same.
Json Chat(std::string_view text, int64_t max_tokens = 8);

// An answer's body, or a line of the log (CHECK that it is JSON).
Json Parse(const std::string& text);

// The value at a path of keys and indices; null when there is none.
Json At(const Json& json, std::initializer_list<std::string_view> path);

}  // namespace fathom

#endif  // FATHOM_SERVER_TEST_SERVER_TESTING_H_
