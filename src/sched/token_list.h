#ifndef FATHOM_SCHED_TOKEN_LIST_H_
#define FATHOM_SCHED_TOKEN_LIST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fathom {

// Tokens to which one is appended now and then. The newest few lie in the object itself: when
// thousands of lists grow by one token in turn, the end of each vector would be a cache miss.
class TokenList {
 public:
  TokenList() = default;
  explicit TokenList(std::vector<int32_t> tokens) : settled_(std::move(tokens)) {}

  int64_t size() const { return static_cast<int64_t>(settled_.size() + newest_); }
  void Reserve(int64_t size) { settled_.reserve(static_cast<size_t>(size)); }

  void Append(int32_t token) {
    if (full()) Settle();
    recent_[newest_++] = token;
  }

  // All, or an Append that has no room in the object, will come soon.
  void Prefetch() const { __builtin_prefetch(settled_.data() + settled_.size()); }
  bool full() const { return newest_ == recent_.size(); }

  // Valid until the next Append.
  std::span<const int32_t> All() {
    Settle();
    return settled_;
  }

 private:
  void Settle() {
    settled_.insert(settled_.end(), recent_.begin(), recent_.begin() + newest_);
    newest_ = 0;
  }

  std::vector<int32_t> settled_;
  uint32_t newest_ = 0;  // of recent_
  std::array<int32_t, 7> recent_{};
};

}  // namespace fathom

#endif  // FATHOM_SCHED_TOKEN_LIST_H_
