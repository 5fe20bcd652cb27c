#ifndef FATHOM_SERVER_ANSWER_MEMORY_H_
#define FATHOM_SERVER_ANSWER_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace fathom {

// What an answer that is not streamed takes at most for each token whose id or log-probability it
// tells, from the token's coming until the client has the body. `top`: likely tokens beside it.
int64_t BytesPerKeptToken(std::optional<int64_t> top);

// Memory that such answers may take together. An answer's share is what it may come to, taken
// before the engine begins with it: none is given up for want of memory when it is half made.
// Threads: any.
class AnswerMemory {
 public:
  // Given back when the last copy goes; not later than the AnswerMemory.
  using Share = std::shared_ptr<const AnswerMemory>;

  // `unsent_bytes`: of answers that are made and that clients have not taken; they count as well.
  AnswerMemory(int64_t limit, std::function<int64_t()> unsent_bytes)
      : limit_(limit), unsent_bytes_(std::move(unsent_bytes)) {}

  // Null: there is no room now.
  Share Reserve(int64_t bytes);

  int64_t limit() const { return limit_; }

 private:
  const int64_t limit_;
  const std::function<int64_t()> unsent_bytes_;
  std::atomic<int64_t> reserved_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_ANSWER_MEMORY_H_
