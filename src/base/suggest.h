#ifndef FATHOM_BASE_SUGGEST_H_
#define FATHOM_BASE_SUGGEST_H_

#include <span>
#include <string>
#include <string_view>

namespace fathom {

// The known word that `given` was probably meant to be: the one with the fewest changed, missing,
// added or swapped letters, if those are at most a third of its length (one is always allowed), or
// the shortest that `given` begins with two letters or more. Empty when nothing is close, or
// `given` has more than 200 bytes.
std::string Closest(std::string_view given, std::span<const std::string_view> known);

}  // namespace fathom

#endif  // FATHOM_BASE_SUGGEST_H_
