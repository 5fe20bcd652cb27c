#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace fathom {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "fathom: internal error: %s does not hold (%s:%d)\n", condition, file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace fathom
