#include "api/chat_response.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/json_text.h"
#include "api/reasoning_field.h"
#include "api/reasoning_splitter.h"
#include "api/response.h"
#include "api/token_logprobs.h"
#include "base/check.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

bool IsSeparate(ReasoningField field) {
  return field != ReasoningField::kInline && field != ReasoningField::kHidden;
}

// "reasoning_content":...,"reasoning":... with the same value under each name that `field` has.
void AppendReasoning(ReasoningField field, std::string_view value, std::string& out) {
  if (field != ReasoningField::kReasoning) {
    out += "\"reasoning_content\":";
    out += value;
  }
  if (field == ReasoningField::kReasoningContent) return;
  out += field == ReasoningField::kBoth ? ",\"reasoning\":" : "\"reasoning\":";
  out += value;
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return quoted;
}

void AppendMessage(const FinishedChoice& choice, ReasoningField field, std::string& out) {
  const ReplyDelta& reply = choice.reply;
  out += "{\"role\":\"assistant\",\"content\":";
  if (choice.inside_reasoning && reply.text.empty()) {
    out += "null";
  } else {
    AppendJsonString(reply.text, out);
  }
  if (IsSeparate(field)) {
    out += ',';
    AppendReasoning(field, reply.reasoning.empty() ? "null" : Quoted(reply.reasoning), out);
  }
  out += '}';
}

// ,"prompt_token_ids":[...]: a chat has one prompt.
std::string PromptIds(const ResponseHead& head, const ReplyOptions& options) {
  std::string text;
  if (!options.return_token_ids || head.prompt_token_ids.empty()) return text;
  text = ",\"prompt_token_ids\":";
  AppendJsonInts(head.prompt_token_ids[0], text);
  return text;
}

std::string ChunkHead(const ResponseHead& head) {
  std::string text = "data: ";
  AppendHead(head, "chat.completion.chunk", text);
  return text + ",\"choices\":[";
}

}  // namespace

std::string ChatResponseBody(const ResponseHead& head, const ReplyOptions& options,
                             const Tokenizer& tokenizer, std::span<const FinishedChoice> choices,
                             const Usage& usage) {
  std::string out;
  AppendHead(head, "chat.completion", out);
  out += ",\"choices\":[";
  for (size_t i = 0; i < choices.size(); ++i) {
    const FinishedChoice& choice = choices[i];
    out += i == 0 ? "{\"index\":" : ",{\"index\":";
    AppendJsonInt(static_cast<int64_t>(i), out);
    out += ",\"message\":";
    AppendMessage(choice, options.reasoning, out);
    out += ",\"logprobs\":";
    if (options.logprobs) {
      AppendChatLogprobs(tokenizer, choice.tokens, out);
    } else {
      out += "null";
    }
    AppendEnd(choice.end, out);
    if (options.return_token_ids) AppendTokenIds(choice.tokens, out);
    out += '}';
  }
  out += "],\"usage\":";
  AppendUsage(usage, out);
  out += PromptIds(head, options);
  out += '}';
  return out;
}

ChatChunkWriter::ChatChunkWriter(const ResponseHead& head, const ReplyOptions& options,
                                 const Tokenizer& tokenizer)
    : head_(ChunkHead(head)),
      prompt_ids_(PromptIds(head, options)),
      options_(options),
      tokenizer_(tokenizer),
      choices_(static_cast<size_t>(options.n)) {}

void ChatChunkWriter::Token(int64_t choice, const SampledToken& token, const ReplyDelta& delta,
                            const Usage& usage, std::string& out) {
  Begin(choice, usage, out);
  if (options_.logprobs || options_.return_token_ids) At(choice).waiting.push_back(token);
  Text(choice, delta, usage, out);
}

void ChatChunkWriter::End(int64_t choice, const ReplyDelta& rest, const ChoiceEnd& end,
                          const Usage& usage, std::string& out) {
  Begin(choice, usage, out);
  Text(choice, rest, usage, out);
  Open(choice, out);
  AppendRest(At(choice), &end, out);
  Close(usage, out);
  At(choice).ended = true;
}

void ChatChunkWriter::WholeUsage(const Usage& usage, std::string& out) const {
  if (!options_.include_usage) return;
  out += head_;
  out += "],\"usage\":";
  AppendUsage(usage, out);
  out += "}\n\n";
}

ChatChunkWriter::Choice& ChatChunkWriter::At(int64_t index) {
  FATHOM_CHECK(index >= 0 && index < static_cast<int64_t>(choices_.size()));
  return choices_[static_cast<size_t>(index)];
}

void ChatChunkWriter::Begin(int64_t index, const Usage& usage, std::string& out) {
  Choice& choice = At(index);
  FATHOM_CHECK(!choice.ended);
  if (choice.begun) return;
  choice.begun = true;
  Open(index, out);
  out += "\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}]";
  out += prompt_ids_;
  Close(usage, out);
}

void ChatChunkWriter::Text(int64_t index, const ReplyDelta& delta, const Usage& usage,
                           std::string& out) {
  if (!delta.reasoning.empty()) Reasoning(index, delta.reasoning, usage, out);
  if (!delta.text.empty()) Content(index, delta.text, usage, out);
}

void ChatChunkWriter::Reasoning(int64_t index, const std::string& text, const Usage& usage,
                                std::string& out) {
  if (options_.reasoning == ReasoningField::kHidden) return;
  if (options_.reasoning == ReasoningField::kInline) {
    Content(index, text, usage, out);
    return;
  }
  Open(index, out);
  AppendReasoning(options_.reasoning, Quoted(text), out);
  AppendRest(At(index), nullptr, out);
  Close(usage, out);
}

void ChatChunkWriter::Content(int64_t index, const std::string& text, const Usage& usage,
                              std::string& out) {
  Open(index, out);
  out += "\"content\":";
  AppendJsonString(text, out);
  AppendRest(At(index), nullptr, out);
  Close(usage, out);
}

void ChatChunkWriter::Open(int64_t index, std::string& out) const {
  out += head_;
  out += "{\"index\":";
  AppendJsonInt(index, out);
  out += ",\"delta\":{";
}

void ChatChunkWriter::AppendRest(Choice& choice, const ChoiceEnd* end, std::string& out) {
  out += "},\"logprobs\":";
  if (options_.logprobs && !choice.waiting.empty()) {
    AppendChatLogprobs(tokenizer_, choice.waiting, out);
  } else {
    out += "null";
  }
  if (end != nullptr) {
    AppendEnd(*end, out);
  } else {
    out += ",\"finish_reason\":null";
  }
  if (options_.return_token_ids) AppendTokenIds(choice.waiting, out);
  choice.waiting.clear();
  out += "}]";
}

void ChatChunkWriter::Close(const Usage& usage, std::string& out) const {
  if (options_.continuous_usage) {
    out += ",\"usage\":";
    AppendUsage(usage, out);
  } else if (options_.include_usage) {
    out += ",\"usage\":null";
  }
  out += "}\n\n";
}

}  // namespace fathom
