#include "weights/problem_list.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/result.h"

namespace fathom {

void ProblemList::Add(std::string_view kind, std::string text) {
  ++counts_.try_emplace(std::string(kind), 0).first->second;
  texts_.push_back(std::move(text));
}

Error ProblemList::ToError(std::string_view summary, std::string where, std::string fix) const {
  std::string what(summary);
  const char* separator = ": ";
  for (const auto& [kind, count] : counts_) {
    what += Format("{}{} {}", separator, count, kind);
    separator = ", ";
  }
  for (size_t i = 0; i < std::min(texts_.size(), kShown); ++i) what += "\n    " + texts_[i];
  if (texts_.size() > kShown) what += Format("\n    and {} more", texts_.size() - kShown);
  return BadInput(std::move(what), std::move(where), std::move(fix));
}

}  // namespace fathom
