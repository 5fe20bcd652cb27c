#ifndef FATHOM_TEXT_JINJA_BUDGET_H_
#define FATHOM_TEXT_JINJA_BUDGET_H_

#include <cstdint>
#include <string>
#include <utility>

#include "base/format.h"
#include "base/result.h"

namespace fathom::jinja {

// What one rendering may cost, so that no template or message can hang the program or fill its
// memory. The limits are far above what the longest prompts need: a million tokens are about 4 MB
// of text.
class Budget {
 public:
  static constexpr int64_t kMostSteps = 5'000'000;
  static constexpr int64_t kMostBytes = int64_t{128} << 20;

  // Expressions evaluated, items looked at.
  Status Steps(int64_t count = 1) {
    steps_ += count;
    if (steps_ <= kMostSteps) return Ok();
    return TooMuch(Format("the template takes more than {} steps", kMostSteps));
  }
  // Text made, intermediate texts included. `count` is taken before the memory is.
  Status Bytes(uint64_t count) {
    if (count <= static_cast<uint64_t>(kMostBytes - bytes_)) {
      bytes_ += static_cast<int64_t>(count);
      return Ok();
    }
    return TooMuch(Format("the template makes more than {} of text", HumanBytes(kMostBytes)));
  }

 private:
  static Error TooMuch(std::string what) {
    return QuotesNothing(BadInput(std::move(what), "",
                                  "shorten what it is given, or give another template with "
                                  "--chat-template FILE"));
  }

  int64_t steps_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_BUDGET_H_
