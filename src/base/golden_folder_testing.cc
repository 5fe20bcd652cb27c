#include "base/golden_folder_testing.h"

#include <cstdlib>
#include <optional>
#include <string>

namespace fathom {

std::optional<std::string> FullGoldenFolder() {
  const char* folder = std::getenv("FATHOM_GOLDEN");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  return folder;
}

std::string GoldenFolder() { return FullGoldenFolder().value_or("tests/golden"); }

}  // namespace fathom
