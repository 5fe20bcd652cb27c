#include "text/detokenizer.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "text/tokenizer.h"
#include "text/utf8.h"

namespace fathom {

Detokenizer::Detokenizer(const Tokenizer& tokenizer, bool skip_special)
    : tokenizer_(&tokenizer), skip_special_(skip_special) {}

std::string Detokenizer::Push(int32_t id) {
  pending_ += tokenizer_->DecodeBytes(std::span(&id, 1), skip_special_);
  std::string unfinished = pending_.substr(pending_.size() - UnfinishedUtf8Tail(pending_));
  pending_.resize(pending_.size() - unfinished.size());
  std::string ready = ReplaceInvalidUtf8(pending_);
  pending_ = std::move(unfinished);
  return ready;
}

std::string Detokenizer::Finish() {
  return ReplaceInvalidUtf8(std::exchange(pending_, std::string()));
}

}  // namespace fathom
