#include "api/stop_matcher.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace fathom {
namespace {

// A stop string's place in a text: [begin, end).
struct Match {
  size_t begin = std::string::npos;
  size_t end = std::string::npos;
  const std::string* stop = nullptr;
};

Match FirstCompleted(std::string_view text, const std::vector<std::string>& stops) {
  Match best;
  for (const std::string& stop : stops) {
    const size_t begin = text.find(stop);
    if (begin == std::string::npos) continue;
    const size_t end = begin + stop.size();
    if (end < best.end || (end == best.end && begin < best.begin)) best = {begin, end, &stop};
  }
  return best;
}

}  // namespace

StopMatcher::StopMatcher(std::vector<std::string> stops, bool include_stop)
    : stops_(std::move(stops)), include_stop_(include_stop) {
  for (const std::string& stop : stops_) FATHOM_CHECK(!stop.empty());
}

std::string StopMatcher::Push(std::string_view piece) {
  if (stopped()) return "";
  held_ += piece;
  const Match match = FirstCompleted(held_, stops_);
  if (match.stop != nullptr) matched_ = *match.stop;
  const size_t cut = include_stop_ ? match.end : match.begin;
  const size_t free = stopped() ? cut : held_.size() - HeldSuffix();
  std::string out = held_.substr(0, free);
  held_.erase(0, stopped() ? held_.size() : free);
  return out;
}

std::string StopMatcher::Finish() { return std::exchange(held_, ""); }

// The longest end of the held text that a stop string begins with.
size_t StopMatcher::HeldSuffix() const {
  size_t longest = 0;
  for (const std::string& stop : stops_) {
    for (size_t size = std::min(held_.size(), stop.size() - 1); size > longest; --size) {
      if (held_.compare(held_.size() - size, size, stop, 0, size) == 0) longest = size;
    }
  }
  return longest;
}

}  // namespace fathom
