#ifndef FATHOM_WEIGHTS_PROBLEM_LIST_H_
#define FATHOM_WEIGHTS_PROBLEM_LIST_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fathom {

// Gathers everything that is wrong, so that a person repairs a checkpoint once and not once a
// tensor.
class ProblemList {
 public:
  // `kind` is counted ("missing"), `text` is shown for the first kShown problems.
  void Add(std::string_view kind, std::string text);
  bool empty() const { return texts_.empty(); }

  // One error (kBadInput):
  //   <summary>: 3 missing, 1 surplus
  //       <text>
  //       and 2 more
  Error ToError(std::string_view summary, std::string where, std::string fix) const;

 private:
  static constexpr size_t kShown = 20;

  std::map<std::string, int64_t, std::less<>> counts_;
  std::vector<std::string> texts_;
};

}  // namespace fathom

#endif  // FATHOM_WEIGHTS_PROBLEM_LIST_H_
