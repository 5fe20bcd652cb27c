#include "server/answer_format.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/chat_response.h"
#include "api/completion_response.h"
#include "api/reasoning_splitter.h"
#include "api/response.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

class ChatFormat : public AnswerFormat {
 public:
  ChatFormat(ResponseHead head, const ReplyOptions& options, const Tokenizer& tokenizer)
      : head_(std::move(head)),
        options_(options),
        tokenizer_(tokenizer),
        writer_(head_, options, tokenizer) {}

  void Token(int64_t choice, const SampledToken& token, const ReplyDelta& delta, const Usage& usage,
             std::string& out) override {
    writer_.Token(choice, token, delta, usage, out);
  }
  void End(int64_t choice, const ReplyDelta& rest, const ChoiceEnd& end, const Usage& usage,
           std::string& out) override {
    writer_.End(choice, rest, end, usage, out);
  }
  void WholeUsage(const Usage& usage, std::string& out) const override {
    writer_.WholeUsage(usage, out);
  }
  std::string Whole(std::vector<FinishedChoice> choices, const Usage& usage) const override {
    return ChatResponseBody(head_, options_, tokenizer_, choices, usage);
  }

 private:
  const ResponseHead head_;
  const ReplyOptions options_;
  const Tokenizer& tokenizer_;
  ChatChunkWriter writer_;
};

class CompletionFormat : public AnswerFormat {
 public:
  CompletionFormat(ResponseHead head, const ReplyOptions& options, std::vector<std::string> echoes,
                   const Tokenizer& tokenizer)
      : head_(std::move(head)),
        options_(options),
        echoes_(std::move(echoes)),
        tokenizer_(tokenizer),
        writer_(head_, options, static_cast<int64_t>(echoes_.size()) * options.n, tokenizer),
        echoed_(echoes_.size() * static_cast<size_t>(options.n)) {}

  void Token(int64_t choice, const SampledToken& token, const ReplyDelta& delta, const Usage& usage,
             std::string& out) override {
    writer_.Token(choice, token, TakeEcho(choice) + delta.text, usage, out);
  }
  void End(int64_t choice, const ReplyDelta& rest, const ChoiceEnd& end, const Usage& usage,
           std::string& out) override {
    writer_.End(choice, TakeEcho(choice) + rest.text, end, usage, out);
  }
  void WholeUsage(const Usage& usage, std::string& out) const override {
    writer_.WholeUsage(usage, out);
  }
  std::string Whole(std::vector<FinishedChoice> choices, const Usage& usage) const override {
    for (size_t i = 0; i < choices.size(); ++i) choices[i].reply.text.insert(0, EchoOf(i));
    return CompletionResponseBody(head_, options_, tokenizer_, choices, usage);
  }

 private:
  const std::string& EchoOf(size_t choice) const {
    return echoes_[choice / static_cast<size_t>(options_.n)];
  }
  // Once a choice.
  std::string TakeEcho(int64_t choice) {
    const auto index = static_cast<size_t>(choice);
    if (echoed_[index]) return "";
    echoed_[index] = true;
    return EchoOf(index);
  }

  const ResponseHead head_;
  const ReplyOptions options_;
  const std::vector<std::string> echoes_;  // [prompts]
  const Tokenizer& tokenizer_;
  CompletionChunkWriter writer_;
  std::vector<bool> echoed_;  // [choices]
};

}  // namespace

std::unique_ptr<AnswerFormat> MakeChatFormat(ResponseHead head, const ReplyOptions& options,
                                             const Tokenizer& tokenizer) {
  return std::make_unique<ChatFormat>(std::move(head), options, tokenizer);
}

std::unique_ptr<AnswerFormat> MakeCompletionFormat(ResponseHead head, const ReplyOptions& options,
                                                   std::vector<std::string> echoes,
                                                   const Tokenizer& tokenizer) {
  return std::make_unique<CompletionFormat>(std::move(head), options, std::move(echoes), tokenizer);
}

}  // namespace fathom
