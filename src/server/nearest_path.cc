#include "server/nearest_path.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace fathom {
namespace {

// What is longer costs time and is no slip of a finger.
constexpr size_t kLongest = 200;

size_t Distance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);  // from what was seen of `from` to each beginning of `to`
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t exchanged = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view NearestPath(std::string_view path, std::span<const std::string_view> paths) {
  std::string_view nearest;
  size_t least = kLongest;
  if (path.size() > kLongest) return nearest;
  for (const std::string_view candidate : paths) {
    const size_t distance = Distance(path, candidate);
    if (distance >= least || distance > candidate.size() / 3) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace fathom
