#ifndef FATHOM_NET_BODY_BUDGET_H_
#define FATHOM_NET_BODY_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace fathom {

// What the bodies of all requests together may take. Threads: any.
class BodyBudget {
 public:
  explicit BodyBudget(int64_t most_bytes) : most_bytes_(most_bytes) {}

  // False, and nothing is taken, when there are not so many bytes left.
  bool Take(int64_t bytes) {
    int64_t taken = taken_;
    do {
      if (bytes > most_bytes_ - taken) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + bytes));
    return true;
  }
  void GiveBack(int64_t bytes) { taken_ -= bytes; }

  int64_t taken() const { return taken_; }
  int64_t most_bytes() const { return most_bytes_; }

 private:
  const int64_t most_bytes_;
  std::atomic<int64_t> taken_ = 0;
};

// The part of it that one body has, until it goes. Threads: one at a time.
class BodyShare {
 public:
  explicit BodyShare(std::shared_ptr<BodyBudget> budget) : budget_(std::move(budget)) {}
  ~BodyShare() { budget_->GiveBack(bytes_); }
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;

  // Grows to so many bytes; false when that is too much.
  bool Grow(int64_t bytes) {
    if (!budget_->Take(bytes - bytes_)) return false;
    bytes_ = bytes;
    return true;
  }

 private:
  const std::shared_ptr<BodyBudget> budget_;
  int64_t bytes_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_NET_BODY_BUDGET_H_
