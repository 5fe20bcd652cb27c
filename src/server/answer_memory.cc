#include "server/answer_memory.h"

#include <cstdint>
#include <optional>

#include "api/response.h"

namespace fathom {
namespace {

// Of an allocation, beside what was asked for.
constexpr int64_t kAllocation = 16;
// "{"token":" the","logprob":-12.345678901234567,"bytes":[32,116,104,101]},": a token in the body
// of a chat, with what longer ones take more.
constexpr int64_t kBodyBytes = 96;
// A list that grows stands in memory twice for a moment, once at its new size.
constexpr int64_t kGrowth = 3;
// "128799,": an id in the body.
constexpr int64_t kIdBytes = 8;
// The body stands in memory twice while it grows, and when it is handed to the network.
constexpr int64_t kCopies = 2;

}  // namespace

int64_t BytesPerKeptToken(std::optional<int64_t> top) {
  const auto token =
      kGrowth * static_cast<int64_t>(sizeof(SampledToken)) + kAllocation + kCopies * kIdBytes;
  if (!top) return token;
  const auto likely = static_cast<int64_t>(sizeof(TokenLogprob));
  return token + *top * likely + (*top + 1) * kCopies * kBodyBytes;
}

AnswerMemory::Share AnswerMemory::Reserve(int64_t bytes) {
  const int64_t reserved = reserved_.fetch_add(bytes) + bytes;
  Share share(this, [this, bytes](const AnswerMemory*) { reserved_ -= bytes; });
  if (reserved + (unsent_bytes_ ? unsent_bytes_() : 0) > limit_) return nullptr;
  return share;
}

}  // namespace fathom
