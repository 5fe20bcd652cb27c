#ifndef FATHOM_SERVER_OPEN_REQUESTS_H_
#define FATHOM_SERVER_OPEN_REQUESTS_H_

#include <atomic>
#include <cstdint>
#include <memory>

namespace fathom {

// How many requests were taken and not yet answered. Threads: any.
class OpenRequests {
 public:
  // One more is open as long as a copy of this lives; not longer than the OpenRequests.
  using Token = std::shared_ptr<const OpenRequests>;

  Token Open() {
    ++taken_;
    ++count_;
    return {this, [](OpenRequests* open) { --open->count_; }};
  }
  int64_t count() const { return count_; }
  // All so far, also those that are answered.
  int64_t taken() const { return taken_; }

 private:
  std::atomic<int64_t> count_ = 0;
  std::atomic<int64_t> taken_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_OPEN_REQUESTS_H_
