#include "api/token_logprobs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json_text.h"
#include "api/response.h"
#include "base/format.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace fathom {
namespace {

constexpr double kLeastLogprob = -9999;

std::string BytesOf(const Tokenizer& tokenizer, int32_t id) {
  return tokenizer.DecodeBytes(std::span(&id, 1), false);
}

void AppendLogprob(double logprob, std::string& out) {
  AppendJsonNumber(logprob < kLeastLogprob ? kLeastLogprob : logprob, out);
}

void AppendBytes(std::string_view bytes, std::string& out) {
  out += '[';
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out += ',';
    AppendJsonInt(static_cast<unsigned char>(bytes[i]), out);
  }
  out += ']';
}

// Without the closing brace.
void OpenChatToken(const Tokenizer& tokenizer, int32_t id, double logprob, std::string& out) {
  const std::string bytes = BytesOf(tokenizer, id);
  out += "{\"token\":";
  AppendJsonString(bytes, out);
  out += ",\"logprob\":";
  AppendLogprob(logprob, out);
  out += ",\"bytes\":";
  AppendBytes(bytes, out);
}

std::string NameOf(const std::string& bytes) {
  if (ValidUtf8Prefix(bytes) == bytes.size()) return bytes;
  std::string name = "bytes:";
  for (const char byte : bytes) name += Format("\\x{:02x}", static_cast<unsigned char>(byte));
  return name;
}

// Each character once, at its first byte.
int64_t CountCharacters(std::string_view bytes) {
  return std::count_if(bytes.begin(), bytes.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80;
  });
}

void AppendTopOf(const Tokenizer& tokenizer, const SampledToken& token, std::string& out) {
  std::vector<std::string> names;
  out += '{';
  for (const TokenLogprob& top : token.top) {
    // Ids that stand for nothing share a name: the likelier one has it.
    std::string name = NameOf(BytesOf(tokenizer, top.id));
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (!names.empty()) out += ',';
    AppendJsonString(name, out);
    out += ':';
    AppendLogprob(top.logprob, out);
    names.push_back(std::move(name));
  }
  out += '}';
}

// A list with one item a token, each appended by `append`.
template <typename Append>
void AppendList(std::string_view key, std::span<const SampledToken> tokens, std::string& out,
                const Append& append) {
  out += key;
  out += '[';
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) out += ',';
    append(tokens[i]);
  }
  out += ']';
}

}  // namespace

void AppendChatLogprobs(const Tokenizer& tokenizer, std::span<const SampledToken> tokens,
                        std::string& out) {
  AppendList("{\"content\":", tokens, out, [&](const SampledToken& token) {
    OpenChatToken(tokenizer, token.id, token.logprob, out);
    out += ",\"top_logprobs\":[";
    for (size_t i = 0; i < token.top.size(); ++i) {
      if (i > 0) out += ',';
      OpenChatToken(tokenizer, token.top[i].id, token.top[i].logprob, out);
      out += '}';
    }
    out += "]}";
  });
  out += '}';
}

void AppendCompletionLogprobs(const Tokenizer& tokenizer, std::span<const SampledToken> tokens,
                              int64_t& offset, std::string& out) {
  AppendList("{\"tokens\":", tokens, out, [&](const SampledToken& token) {
    AppendJsonString(NameOf(BytesOf(tokenizer, token.id)), out);
  });
  AppendList(",\"token_logprobs\":", tokens, out,
             [&](const SampledToken& token) { AppendLogprob(token.logprob, out); });
  AppendList(",\"top_logprobs\":", tokens, out,
             [&](const SampledToken& token) { AppendTopOf(tokenizer, token, out); });
  AppendList(",\"text_offset\":", tokens, out, [&](const SampledToken& token) {
    AppendJsonInt(offset, out);
    offset += CountCharacters(BytesOf(tokenizer, token.id));
  });
  out += '}';
}

}  // namespace fathom
