#ifndef FATHOM_CLI_SUGGEST_H_
#define FATHOM_CLI_SUGGEST_H_

#include <span>
#include <string>
#include <string_view>

namespace fathom {

// The known word that `given` was probably meant to be: the one with the fewest changed, missing,
// added or swapped letters, if those are at most a third of its length (one is always allowed), or
// the shortest that `given` begins. Empty when nothing is close.
std::string Closest(std::string_view given, std::span<const std::string> known);

}  // namespace fathom

#endif  // FATHOM_CLI_SUGGEST_H_
