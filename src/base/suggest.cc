#include "base/suggest.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {
namespace {

// Optimal string alignment distance: edits and swaps of neighbours.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string Closest(std::string_view given, std::span<const std::string_view> known) {
  constexpr size_t kLongest = 200;  // what is longer costs time and is no slip of a finger
  std::string best;
  if (given.size() > kLongest) return best;
  size_t best_distance = std::max<size_t>(1, given.size() / 3) + 1;
  for (const std::string_view word : known) {
    const size_t distance = Distance(given, word);
    if (distance < best_distance) {
      best = word;
      best_distance = distance;
    }
  }
  if (!best.empty() || given.size() < 2) return best;
  for (const std::string_view word : known) {
    if (word.starts_with(given) && (best.empty() || word.size() < best.size())) best = word;
  }
  return best;
}

}  // namespace fathom
