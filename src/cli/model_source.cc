#include "cli/model_source.h"

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace fathom {
namespace {

// The folder this program lies in.
std::string ProgramFolder() {
  std::array<char, 4096> path;
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return ".";
  const std::string_view whole(path.data(), static_cast<size_t>(size));
  return std::string(whole.substr(0, whole.rfind('/')));
}

}  // namespace

Result<std::string> FindDemoModel(FileSystem& files) {
  std::vector<std::string> places;
  const char* named = std::getenv("FATHOM_DEMO_MODEL");
  // Set to nothing is not set, as for FATHOM_ISA.
  if (named != nullptr && *named != '\0') {
    places = {named};
  } else {
    const std::string folder = ProgramFolder();
    places = {folder + "/../../models/demo", folder + "/../share/fathom/demo",
              FATHOM_SOURCE_FOLDER "/models/demo"};
  }
  std::string looked;
  for (const std::string& place : places) {
    if (files.Exists(JoinPath(place, "config.json"))) return place;
    looked += (looked.empty() ? "" : ", ") + place;
  }
  return BadInput("the demo model is not there", looked,
                  "name a model folder, or set FATHOM_DEMO_MODEL to the demo model's");
}

}  // namespace fathom
