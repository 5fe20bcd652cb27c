#include "api/completion_response.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/json_text.h"
#include "api/response.h"
#include "api/token_logprobs.h"
#include "base/check.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

constexpr std::string_view kObject = "text_completion";

std::vector<std::string> PromptIds(const ResponseHead& head, const ReplyOptions& options) {
  std::vector<std::string> all;
  if (!options.return_token_ids) return all;
  for (const std::vector<int32_t>& ids : head.prompt_token_ids) {
    AppendJsonInts(ids, all.emplace_back());
  }
  return all;
}

void AppendPromptIds(std::span<const std::string> prompt_ids, size_t prompt, std::string& out) {
  if (prompt >= prompt_ids.size()) return;
  out += ",\"prompt_token_ids\":";
  out += prompt_ids[prompt];
}

std::string ChunkHead(const ResponseHead& head) {
  std::string text = "data: ";
  AppendHead(head, kObject, text);
  return text + ",\"choices\":[";
}

}  // namespace

std::string CompletionResponseBody(const ResponseHead& head, const ReplyOptions& options,
                                   const Tokenizer& tokenizer,
                                   std::span<const FinishedChoice> choices, const Usage& usage) {
  const std::vector<std::string> prompt_ids = PromptIds(head, options);
  std::string out;
  AppendHead(head, kObject, out);
  out += ",\"choices\":[";
  for (size_t i = 0; i < choices.size(); ++i) {
    const FinishedChoice& choice = choices[i];
    out += i == 0 ? "{\"index\":" : ",{\"index\":";
    AppendJsonInt(static_cast<int64_t>(i), out);
    out += ",\"text\":";
    AppendJsonString(choice.reply.text, out);
    out += ",\"logprobs\":";
    int64_t offset = 0;
    if (options.logprobs) {
      AppendCompletionLogprobs(tokenizer, choice.tokens, offset, out);
    } else {
      out += "null";
    }
    AppendEnd(choice.end, out);
    if (options.return_token_ids) AppendTokenIds(choice.tokens, out);
    AppendPromptIds(prompt_ids, i / static_cast<size_t>(options.n), out);
    out += '}';
  }
  out += "],\"usage\":";
  AppendUsage(usage, out);
  out += '}';
  return out;
}

CompletionChunkWriter::CompletionChunkWriter(const ResponseHead& head, const ReplyOptions& options,
                                             int64_t choices, const Tokenizer& tokenizer)
    : head_(ChunkHead(head)),
      prompt_ids_(PromptIds(head, options)),
      options_(options),
      tokenizer_(tokenizer),
      choices_(static_cast<size_t>(choices)) {}

void CompletionChunkWriter::Token(int64_t choice, const SampledToken& token, std::string_view text,
                                  const Usage& usage, std::string& out) {
  if (options_.logprobs || options_.return_token_ids) At(choice).waiting.push_back(token);
  if (!text.empty()) Chunk(choice, text, nullptr, usage, out);
}

void CompletionChunkWriter::End(int64_t choice, std::string_view rest, const ChoiceEnd& end,
                                const Usage& usage, std::string& out) {
  Chunk(choice, rest, &end, usage, out);
  At(choice).ended = true;
}

void CompletionChunkWriter::WholeUsage(const Usage& usage, std::string& out) const {
  if (!options_.include_usage) return;
  out += head_;
  out += "],\"usage\":";
  AppendUsage(usage, out);
  out += "}\n\n";
}

CompletionChunkWriter::Choice& CompletionChunkWriter::At(int64_t index) {
  FATHOM_CHECK(index >= 0 && index < static_cast<int64_t>(choices_.size()));
  Choice& choice = choices_[static_cast<size_t>(index)];
  FATHOM_CHECK(!choice.ended);
  return choice;
}

void CompletionChunkWriter::Chunk(int64_t index, std::string_view text, const ChoiceEnd* end,
                                  const Usage& usage, std::string& out) {
  Choice& choice = At(index);
  out += head_;
  out += "{\"index\":";
  AppendJsonInt(index, out);
  out += ",\"text\":";
  AppendJsonString(text, out);
  AppendLogprobs(choice, out);
  if (end != nullptr) {
    AppendEnd(*end, out);
  } else {
    out += ",\"finish_reason\":null";
  }
  AppendIds(index, choice, out);
  choice.waiting.clear();
  choice.begun = true;
  out += "}]";
  if (options_.include_usage) {
    out += ",\"usage\":";
    if (options_.continuous_usage) {
      AppendUsage(usage, out);
    } else {
      out += "null";
    }
  }
  out += "}\n\n";
}

void CompletionChunkWriter::AppendLogprobs(Choice& choice, std::string& out) {
  out += ",\"logprobs\":";
  if (options_.logprobs && !choice.waiting.empty()) {
    AppendCompletionLogprobs(tokenizer_, choice.waiting, choice.text_offset, out);
  } else {
    out += "null";
  }
}

// The prompt's ids come once, with the first chunk of each of its choices.
void CompletionChunkWriter::AppendIds(int64_t index, Choice& choice, std::string& out) {
  if (!options_.return_token_ids) return;
  AppendTokenIds(choice.waiting, out);
  if (!choice.begun) AppendPromptIds(prompt_ids_, static_cast<size_t>(index / options_.n), out);
}

}  // namespace fathom
