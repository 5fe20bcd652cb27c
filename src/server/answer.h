#ifndef FATHOM_SERVER_ANSWER_H_
#define FATHOM_SERVER_ANSWER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/api_error.h"
#include "api/reasoning_splitter.h"
#include "api/response.h"
#include "api/text_stream.h"
#include "base/json.h"
#include "engine/engine.h"
#include "server/answer_format.h"
#include "server/answer_memory.h"
#include "server/metrics.h"
#include "server/open_requests.h"
#include "server/request_log.h"
#include "server/router.h"
#include "text/tokenizer.h"

namespace fathom {

// One of the answers a request asked for.
struct ChoiceSetup {
  TextStreamOptions text;
  int64_t prompt_tokens = 0;
  bool keep_tokens = false;  // their ids or log-probabilities are part of the answer
};

// A request that was accepted.
struct AnswerSetup {
  RoutedRequest routed;
  OpenRequests::Token open = nullptr;
  std::string model;  // as the request named it
  bool stream = false;
  int64_t prompts = 1;     // each with n choices
  int64_t max_tokens = 0;  // as asked, or what it became
  std::vector<ChoiceSetup> choices;
  std::vector<int32_t> stop_token_ids;  // that the request named: not the model's own end
  std::unique_ptr<AnswerFormat> format;
  std::string log_text;                  // of the prompt, where the log has it; else ""
  int64_t kept_bytes = 0;                // that the tokens it keeps may come to
  AnswerMemory::Share memory = nullptr;  // for them
};

// What all answers of a server share; it outlives them.
struct AnswerServices {
  const Tokenizer& tokenizer;
  Metrics& metrics;
  ServerLog& log;
  bool log_text = false;  // the log has the prompts' text
};

// The answer to one request, from the engine's events to the client's bytes. Each choice ends once;
// the whole ends once, with an answer or an error, and is logged.
//
// Threads   one at a time.
class Answer {
 public:
  // `cancel` ends a choice in the engine: its text is complete, or nobody reads it.
  Answer(AnswerSetup setup, const AnswerServices& services, std::function<void(size_t)> cancel);

  // An event of a choice. After a choice's final event there are no more.
  void Take(size_t choice, EngineEvent event, double now_s);
  // Time goes by: a stream that has no token yet says that it is alive.
  void Tick(double now_s);
  // The server ends: whoever waits is told why.
  void Abort(const ApiError& error, double now_s);

  // Every choice has had its final event: nothing more comes.
  bool over() const { return open_in_engine_ == 0; }

 private:
  struct Choice {
    TextStream text;
    FinishedChoice finished;  // what a whole answer needs of it
    int64_t tokens = 0;
    int64_t cached_tokens = 0;  // of its prompt
    double last_token_s = 0;
    bool keep_tokens = false;
    bool ended = false;  // for the client
    std::string finish_reason = {};
  };

  void TakeToken(size_t index, EngineEvent& event, double now_s);
  void TakeFinish(size_t index, const EngineEvent& event, double now_s);
  void EndChoice(size_t index, const ReplyDelta& rest, ChoiceEnd end);
  void Complete(double now_s);
  std::string WholeBody();
  void Fail(const ApiError& error, double now_s);
  void BeginStream();
  void Flush(double now_s);
  void CancelOpen();
  void ObserveToken(Choice& choice, double now_s);
  void Close(const char* outcome, double now_s);
  Usage TotalUsage() const;
  Json FinishReasons() const;

  AnswerSetup setup_;
  const AnswerServices& services_;
  const std::function<void(size_t)> cancel_;
  std::vector<Choice> choices_;
  size_t open_in_engine_;
  size_t open_for_client_;
  bool streaming_ = false;  // the head of the stream is out
  bool closed_ = false;     // the client has its end, or is gone
  std::string pending_;     // bytes of the stream that were not handed over yet

  int64_t prompt_tokens_ = 0;
  double started_s_ = 0;  // when the engine began with it
  std::optional<double> first_token_s_;
  double last_token_s_ = 0;
  double last_sign_s_ = 0;  // when something was last sent
};

}  // namespace fathom

#endif  // FATHOM_SERVER_ANSWER_H_
