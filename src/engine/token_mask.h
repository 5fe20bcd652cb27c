#ifndef FATHOM_ENGINE_TOKEN_MASK_H_
#define FATHOM_ENGINE_TOKEN_MASK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

// Which tokens of a vocabulary may come next: one bit each.
class TokenMask {
 public:
  // All of `vocab` tokens.
  explicit TokenMask(int64_t vocab) : allowed_(static_cast<size_t>(vocab), true) {}
  // Those named alone; each from 0 to below vocab.
  TokenMask(int64_t vocab, std::span<const int32_t> allowed)
      : allowed_(static_cast<size_t>(vocab), false) {
    for (const int32_t id : allowed) allowed_[static_cast<size_t>(id)] = true;
  }

  // Ids outside the vocabulary are forbidden as they are.
  void Forbid(std::span<const int32_t> ids) {
    for (const int32_t id : ids) {
      if (id >= 0 && id < vocab()) allowed_[static_cast<size_t>(id)] = false;
    }
  }

  int64_t vocab() const { return static_cast<int64_t>(allowed_.size()); }
  bool Allows(size_t id) const { return allowed_[id]; }
  bool AllowsAny() const {
    for (const bool allowed : allowed_) {
      if (allowed) return true;
    }
    return false;
  }

 private:
  std::vector<bool> allowed_;  // [vocab]
};

}  // namespace fathom

#endif  // FATHOM_ENGINE_TOKEN_MASK_H_
