#ifndef FATHOM_ENGINE_TOKEN_RULES_H_
#define FATHOM_ENGINE_TOKEN_RULES_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/token_mask.h"

namespace fathom {

// Which tokens an answer may be made of. Made once for all answers to a request: it is as large as
// the vocabulary.
class TokenRules {
 public:
  // `allowed`: these alone; empty: all. `bad_words`: none of these sequences (none empty) comes to
  // stand in an answer. Neither: null, any token may come.
  // Errors (kBadInput): an id outside the vocabulary; no token is left.
  static Result<std::shared_ptr<const TokenRules>> Make(
      int64_t vocab, std::span<const int32_t> allowed,
      std::vector<std::vector<int32_t>> bad_words = {});

  // What may come whatever was said before.
  const TokenMask& mask() const { return mask_; }
  // The tokens that would complete a bad word behind `answer`.
  std::vector<int32_t> BadAfter(std::span<const int32_t> answer) const;

 private:
  TokenRules(TokenMask mask, std::vector<std::vector<int32_t>> bad_words);

  TokenMask mask_;
  std::vector<std::vector<int32_t>> bad_words_;  // those of several tokens
};

}  // namespace fathom

#endif  // FATHOM_ENGINE_TOKEN_RULES_H_
