#ifndef FATHOM_SERVER_NEAREST_PATH_H_
#define FATHOM_SERVER_NEAREST_PATH_H_

#include <span>
#include <string_view>

namespace fathom {

// The one of `paths` that `path` was probably meant to be: the fewest characters added, left out or
// exchanged make it (Levenshtein's distance), and at most a third of its own; of several the first.
// Empty when none is that near, or `path` has more than 200 bytes.
std::string_view NearestPath(std::string_view path, std::span<const std::string_view> paths);

}  // namespace fathom

#endif  // FATHOM_SERVER_NEAREST_PATH_H_
