#include "engine/token_rules.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "engine/token_mask.h"

namespace fathom {
namespace {

Status CheckIds(std::string_view field, std::span<const int32_t> ids, int64_t vocab) {
  for (const int32_t id : ids) {
    if (id >= 0 && id < vocab) continue;
    return BadInput(Format("{} names token {}, the vocabulary has {} tokens", field, id, vocab), "",
                    Format("name ids from 0 to {}", vocab - 1));
  }
  return Ok();
}

bool EndsWith(std::span<const int32_t> tokens, std::span<const int32_t> end) {
  return tokens.size() >= end.size() && std::ranges::equal(tokens.last(end.size()), end);
}

}  // namespace

TokenRules::TokenRules(TokenMask mask, std::vector<std::vector<int32_t>> bad_words)
    : mask_(std::move(mask)), bad_words_(std::move(bad_words)) {}

Result<std::shared_ptr<const TokenRules>> TokenRules::Make(
    int64_t vocab, std::span<const int32_t> allowed, std::vector<std::vector<int32_t>> bad_words) {
  if (allowed.empty() && bad_words.empty()) return std::shared_ptr<const TokenRules>();
  FATHOM_OK(CheckIds("allowed_token_ids", allowed, vocab));
  TokenMask mask = allowed.empty() ? TokenMask(vocab) : TokenMask(vocab, allowed);
  for (const std::vector<int32_t>& word : bad_words) {
    FATHOM_OK(CheckIds("bad_words", word, vocab));
    if (word.size() == 1) mask.Forbid(word);
  }
  if (!mask.AllowsAny()) {
    return BadInput("bad_words forbids every token that is allowed", "",
                    "name fewer bad words, or allow more tokens");
  }
  std::erase_if(bad_words, [](const std::vector<int32_t>& word) { return word.size() == 1; });
  return std::shared_ptr<const TokenRules>(new TokenRules(std::move(mask), std::move(bad_words)));
}

std::vector<int32_t> TokenRules::BadAfter(std::span<const int32_t> answer) const {
  std::vector<int32_t> bad;
  for (const std::vector<int32_t>& word : bad_words_) {
    if (EndsWith(answer, std::span(word).first(word.size() - 1))) bad.push_back(word.back());
  }
  return bad;
}

}  // namespace fathom
