// Any tokens with any bytes for text, through the writers of chunks and of whole answers: what
// comes out is JSON in UTF-8, each choice ends once, and no text or log-probability is lost.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/chat_response.h"
#include "api/completion_response.h"
#include "api/reasoning_field.h"
#include "api/response.h"
#include "api/response_testing.h"
#include "base/check.h"
#include "base/json.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace fathom {
namespace {

// What the stream of one choice says, joined.
struct Joined {
  std::string content, reasoning;
  size_t logprobs = 0;
  int64_t ends = 0;
};

class Bytes {
 public:
  explicit Bytes(std::span<const uint8_t> data) : data_(data) {}
  bool empty() const { return data_.empty(); }
  uint8_t Byte() {
    if (empty()) return 0;
    const uint8_t byte = data_[0];
    data_ = data_.subspan(1);
    return byte;
  }
  std::string Text() {
    const size_t size = std::min<size_t>(Byte() % 16, data_.size());
    std::string text(reinterpret_cast<const char*>(data_.data()), size);
    data_ = data_.subspan(size);
    return text;
  }

 private:
  std::span<const uint8_t> data_;
};

SampledToken MakeToken(Bytes& bytes) {
  const int32_t id = bytes.Byte() * 2 - 10;  // some stand for nothing
  return {id, -static_cast<double>(bytes.Byte()) * 1e3, {{id, -1}, {id + 1, -2}}};
}

std::string TextOf(const Json& delta, const char* key) {
  const Json* text = delta.Find(key);
  return text != nullptr && text->is_string() ? text->as_string() : "";
}

void AddChatChunk(const Json& choice, Joined& joined) {
  const Json& delta = *choice.Find("delta");
  const std::string content = TextOf(delta, "content");
  const std::string reasoning = TextOf(delta, "reasoning_content");
  FATHOM_CHECK(content.empty() || reasoning.empty());
  joined.content += content;
  joined.reasoning += reasoning;
  if (choice.Find("logprobs")->is_object()) {
    joined.logprobs += choice.Find("logprobs")->Find("content")->as_array().size();
  }
}

void AddCompletionChunk(const Json& choice, Joined& joined) {
  joined.content += TextOf(choice, "text");
  if (choice.Find("logprobs")->is_object()) {
    joined.logprobs += choice.Find("logprobs")->Find("tokens")->as_array().size();
  }
}

template <typename Add>
Joined Join(const std::string& stream, const Add& add) {
  Joined joined;
  for (const std::string& payload : PayloadsOrDie(stream)) {
    const Json chunk = ParseJson(payload, "chunk").value();
    for (const Json& choice : chunk.Find("choices")->as_array()) {
      FATHOM_CHECK(joined.ends == 0);
      add(choice, joined);
      if (!choice.Find("finish_reason")->is_null()) ++joined.ends;
    }
  }
  FATHOM_CHECK(joined.ends == 1);
  return joined;
}

struct Reply {
  std::vector<SampledToken> tokens;
  std::vector<ReplyDelta> deltas;
  ReplyDelta all;
};

Reply MakeReply(Bytes& bytes) {
  Reply reply;
  constexpr size_t kMostTokens = 64;  // more show nothing new, and slowly
  while (!bytes.empty() && reply.tokens.size() < kMostTokens) {
    reply.tokens.push_back(MakeToken(bytes));
    reply.deltas.push_back({bytes.Text(), bytes.Text()});
    // Each piece of text is made valid by itself, as whole characters come.
    reply.all.reasoning += ReplaceInvalidUtf8(reply.deltas.back().reasoning);
    reply.all.text += ReplaceInvalidUtf8(reply.deltas.back().text);
  }
  return reply;
}

void CheckChat(const Reply& reply, const ReplyOptions& options, const ResponseHead& head,
               const Tokenizer& tokenizer) {
  ChatChunkWriter writer(head, options, tokenizer);
  std::string out;
  for (size_t i = 0; i < reply.tokens.size(); ++i) {
    writer.Token(0, reply.tokens[i], reply.deltas[i], {}, out);
  }
  writer.End(0, {}, {"stop", head.model}, {}, out);
  writer.WholeUsage({}, out);
  const Joined joined = Join(out, AddChatChunk);
  FATHOM_CHECK(joined.logprobs == (options.logprobs ? reply.tokens.size() : 0));
  if (options.reasoning == ReasoningField::kReasoningContent) {
    FATHOM_CHECK(joined.content == reply.all.text && joined.reasoning == reply.all.reasoning);
  }
  const FinishedChoice whole = {reply.all, false, reply.tokens, {"stop", head.model}};
  FATHOM_CHECK(
      ParseJson(ChatResponseBody(head, options, tokenizer, std::span(&whole, 1), {}), "b").ok());
}

void CheckCompletion(const Reply& reply, const ReplyOptions& options, const ResponseHead& head,
                     const Tokenizer& tokenizer) {
  CompletionChunkWriter writer(head, options, 1, tokenizer);
  std::string out;
  for (size_t i = 0; i < reply.tokens.size(); ++i) {
    writer.Token(0, reply.tokens[i], reply.deltas[i].text, {}, out);
  }
  writer.End(0, "", {"length", int64_t{7}}, {}, out);
  writer.WholeUsage({}, out);
  const Joined joined = Join(out, AddCompletionChunk);
  FATHOM_CHECK(joined.content == reply.all.text);
  FATHOM_CHECK(joined.logprobs == (options.logprobs ? reply.tokens.size() : 0));
  const FinishedChoice whole = {reply.all, false, reply.tokens, {"length", {}}};
  FATHOM_CHECK(
      ParseJson(CompletionResponseBody(head, options, tokenizer, std::span(&whole, 1), {}), "b")
          .ok());
}

void Check(std::span<const uint8_t> data) {
  static const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  Bytes bytes(data);
  const uint8_t choice = bytes.Byte();
  ReplyOptions options;
  options.logprobs = choice % 2 == 1;
  options.return_token_ids = choice / 2 % 2 == 1;
  options.include_usage = choice / 4 % 2 == 1;
  options.continuous_usage = options.include_usage && choice / 8 % 2 == 1;
  options.reasoning = static_cast<ReasoningField>(choice / 16 % 5);
  const ResponseHead head = {bytes.Text(), choice, bytes.Text(), bytes.Text(), {{1, 2}}};
  const Reply reply = MakeReply(bytes);
  CheckChat(reply, options, head, tokenizer);
  CheckCompletion(reply, options, head, tokenizer);
}

}  // namespace
}  // namespace fathom

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fathom::Check({data, size});
  return 0;
}
